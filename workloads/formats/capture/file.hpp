#pragma once
// The file that libtoroid_capture.so wrote of a rank: its header, and its numbers one by one.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "toroid/core/error.hpp"
#include "workloads/formats/capture/raw_capture.hpp"

namespace toroid::workloads::raw {

class File {
 public:
  /// Opens the file. Throws InputError unless it holds a whole run.
  explicit File(const std::string& path) : path_(path) {
    if (file_.open(path, std::ios::in | std::ios::binary) == nullptr)
      core::fail_input("{}: {}", path, std::strerror(errno));
    size_ = std::filesystem::file_size(path);
    if (file_.sgetn(reinterpret_cast<char*>(&header_), sizeof header_) != sizeof header_)
      core::fail_input("{}: found no whole header, expected one: is the disk full?", path);
    check_header();
  }

  const Header& header() const { return header_; }

  // Each reads a value, and throws InputError where the file has none of its kind.
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = file_.sbumpc();  // a value below 0 is the end
      if (byte < 0) fail();
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    fail();
  }

  std::int64_t signed_number() { return unfold(number()); }

  /// A signed number.
  std::int32_t small_number() {
    const auto value = signed_number();
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) fail();
    return static_cast<std::int32_t>(value);
  }

  /// The length of a list that follows.
  std::size_t length() {
    const auto value = number();
    if (value > size_) fail();  // each element takes a byte at least
    return value;
  }

  std::vector<std::uint64_t> list() {
    std::vector<std::uint64_t> numbers(length());
    for (auto& each : numbers) each = number();
    return numbers;
  }

  /// Reads a value of an enumeration whose last value is `last`.
  template <class Enum>
  Enum one_of(Enum last) {
    const auto value = number();
    if (value > static_cast<std::uint64_t>(last)) fail();
    return static_cast<Enum>(value);
  }

  [[noreturn]] void fail() const {
    core::fail_input("{}: found what the library does not write, expected its records: the file is damaged", path_);
  }

 private:
  void check_header() const {
    if (header_.magic != magic || header_.kinds != op_kind_count)
      core::fail_input("{}: found a file of another version, expected one of libtoroid_capture.so as built with toroid",
                       path_);
    if (header_.rank < 0 || header_.rank >= header_.ranks) fail();
    if (header_.state == State::ended) return;
    if (header_.state == State::recording)
      core::fail_input("rank {} has not called MPI_Finalize, expected a program that ends", header_.rank);
    const int error = static_cast<int>(header_.state) - static_cast<int>(State::ended) - 1;
    if (error == EEXIST)
      core::fail_input("more than one MPI program has run, or one with a rank {} more than once; expected one program",
                       header_.rank);
    core::fail_input("rank {} could not be recorded: {}: {}", header_.rank, path_, std::strerror(error));
  }

  std::string path_;
  std::filebuf file_;
  Header header_{};
  std::uint64_t size_ = 0;
};

}  // namespace toroid::workloads::raw
