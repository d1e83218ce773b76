#pragma once
// A document of typed columns: what pages draw, and what programs read without parsing.
//
// The text is a line of JSON, `{"format": "toroid columns 1", "meta": {...}, "columns": {NAME: {"type": T, "at": A,
// "count": N}}}`, and after its line end one gzip stream with the numbers, little-endian: a column has N numbers from
// byte A on. Types are called as NumPy does: u1, u2, u4, i4, f4, f8.

#include <functional>
#include <iterator>

#include "toroid/core/json.hpp"

namespace toroid::views {

using core::Json;

using u1 = std::uint8_t;
using u2 = std::uint16_t;
using u4 = std::uint32_t;
using i4 = std::int32_t;
using f4 = float;
using f8 = double;

/// What the type of a column of such numbers is called; null: there is no such column.
template <class Number>
constexpr const char* column_type = std::is_same_v<Number, u1>   ? "u1"
                                    : std::is_same_v<Number, u2> ? "u2"
                                    : std::is_same_v<Number, u4> ? "u4"
                                    : std::is_same_v<Number, i4> ? "i4"
                                    : std::is_same_v<Number, f4> ? "f4"
                                    : std::is_same_v<Number, f8> ? "f8"
                                                                 : nullptr;

/// A value as a column has it: that of an id, or the number itself.
template <class Number>
Number number_of(const auto& value) {
  if constexpr (requires { value.value(); })
    return static_cast<Number>(value.value());
  else
    return static_cast<Number>(value);
}

class Columns {
 public:
  Json meta;  ///< what is no column

  template <class Number>
  void add(std::string_view name, const std::vector<Number>& values) {
    static_assert(column_type<Number> != nullptr);
    begin(name, column_type<Number>, values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  }

  /// Adds what `of` says of each in a range, in their order.
  template <class Number, class Range, class Of>
  void add(std::string_view name, const Range& range, Of of) {
    std::vector<Number> values;
    if constexpr (requires { std::size(range); }) values.reserve(std::size(range));
    for (const auto& one : range) values.push_back(number_of<Number>(std::invoke(of, one)));
    add(name, values);
  }

  /// The line of JSON, without its end, and the packed numbers.
  std::string head() const;
  std::string packed() const;
  /// Both, as a file has them.
  std::string document() const { return head() + "\n" + packed(); }

 private:
  void begin(std::string_view name, const char* type, std::size_t count);

  Json columns_ = Json::object();
  std::string bytes_;
};

/// A document of columns as Columns::document() writes it.
class ColumnsFile {
 public:
  /// Reads the file. Throws InputError where the file is none, or is damaged.
  explicit ColumnsFile(const std::string& path);
  /// Reads a document that is in memory; messages call it `name`.
  ColumnsFile(const std::string& name, std::string_view text);

  const std::string& path() const { return path_; }
  const Json& meta() const { return meta_; }
  /// The numbers of a column, one of the types that Columns takes. Throws InputError where the document has no such
  /// column, or one of another type.
  template <class Number>
  std::vector<Number> column(const std::string& name) const;

 private:
  /// Where the numbers of a column lie among the bytes, after all checks.
  std::string_view bytes_of(const std::string& name, std::string_view type, std::size_t size) const;

  std::string path_, bytes_;
  Json meta_, columns_;
};

}  // namespace toroid::views
