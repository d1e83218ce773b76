#pragma once
// A document of typed columns: what pages draw, and what programs read without parsing.
//
// The text is a line of JSON, `{"format": "toroid columns 1", "meta": {...}, "columns": {NAME: {"type": T, "at": A,
// "count": N}}}`, and after its line end one gzip stream with the numbers, little-endian: a column has N numbers from
// byte A on. Types are called as NumPy does: u1, u2, u4, i4, f4, f8.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"

namespace toroid::views {

class Columns {
 public:
  core::Json meta;  ///< what is no column

  void add(std::string_view name, const std::vector<std::uint8_t>& values) { add(name, "u1", values); }
  void add(std::string_view name, const std::vector<std::uint16_t>& values) { add(name, "u2", values); }
  void add(std::string_view name, const std::vector<std::uint32_t>& values) { add(name, "u4", values); }
  void add(std::string_view name, const std::vector<std::int32_t>& values) { add(name, "i4", values); }
  void add(std::string_view name, const std::vector<float>& values) { add(name, "f4", values); }
  void add(std::string_view name, const std::vector<double>& values) { add(name, "f8", values); }

  /// The line of JSON, without its end, and the packed numbers.
  std::string head() const;
  std::string packed() const;
  /// Both, as a file has them.
  std::string document() const { return head() + "\n" + packed(); }

 private:
  template <class Number>
  void add(std::string_view name, const char* type, const std::vector<Number>& values) {
    begin(name, type, values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  }
  void begin(std::string_view name, const char* type, std::size_t count);

  core::Json columns_ = core::Json::object();
  std::string bytes_;
};

}  // namespace toroid::views
