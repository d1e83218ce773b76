#pragma once
// The file that libtoroid_capture.so wrote of a rank: its header, and its numbers one by one.

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "workloads/formats/capture/raw_capture.hpp"

namespace toroid::workloads::raw {

class File {
 public:
  /// Opens the file. Throws InputError unless it holds a whole run.
  explicit File(const std::string& path);

  const Header& header() const { return header_; }

  // Each reads a value, and throws InputError where the file has none of its kind.
  std::uint64_t number();
  std::int64_t signed_number() { return unfold(number()); }
  std::int32_t small_number();  ///< signed
  std::size_t length();         ///< the length of a list that follows
  std::vector<std::uint64_t> list();
  /// Reads a value of an enumeration whose last value is `last`.
  template <class Enum>
  Enum one_of(Enum last) {
    const auto value = number();
    if (value > static_cast<std::uint64_t>(last)) fail();
    return static_cast<Enum>(value);
  }

  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void check_header() const;
  bool refill();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  Header header_{};
  std::uint64_t size_ = 0;
  std::array<std::uint8_t, 1U << 16U> buffer_;
  std::size_t at_ = 0, end_ = 0;
};

}  // namespace toroid::workloads::raw
