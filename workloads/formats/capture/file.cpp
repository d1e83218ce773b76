#include "workloads/formats/capture/file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "core/error.hpp"

namespace toroid::workloads::raw {

File::File(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
  if (file_ == nullptr) core::fail_input("{}: {}", path, std::strerror(errno));
  size_ = std::filesystem::file_size(path);
  if (std::fread(&header_, sizeof header_, 1, file_.get()) != 1)
    core::fail_input("{}: found no whole header, expected one: is the disk full?", path);
  check_header();
}

void File::check_header() const {
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

bool File::refill() {
  at_ = 0;
  end_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  return end_ > 0;
}

std::uint64_t File::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == end_ && !refill()) fail();
    const auto byte = buffer_[at_++];
    number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return number;
  }
  fail();
}

std::int32_t File::small_number() {
  const auto value = signed_number();
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) fail();
  return static_cast<std::int32_t>(value);
}

std::size_t File::length() {
  const auto value = number();
  if (value > size_) fail();  // each element takes a byte at least
  return value;
}

std::vector<std::uint64_t> File::list() {
  std::vector<std::uint64_t> numbers(length());
  for (auto& each : numbers) each = number();
  return numbers;
}

void File::fail() const {
  core::fail_input("{}: found what the library does not write, expected its records: the file is damaged", path_);
}

}  // namespace toroid::workloads::raw
