#pragma once
// JSON with its fields in the order in which they were written.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "toroid/core/assert.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {

using Json = nlohmann::ordered_json;
/// JSON whose fields are found fast, however many there are, and have no order: for large files.
using SearchedJson = nlohmann::json;

/// A text that is no JSON, nested too deep to be any that we know, or with an object that has a field twice.
class JsonError : public InputError {
 public:
  JsonError(const std::string& what, std::uint64_t in_line) : InputError(what), line(in_line) {}
  std::uint64_t line;  ///< the line of the text, from 1; 0 if it is not known
};

/// The one way from JSON text to values. Throws JsonError.
template <class AnyJson = Json>
AnyJson parse_json(std::string_view text);
extern template Json parse_json<Json>(std::string_view text);
extern template SearchedJson parse_json<SearchedJson>(std::string_view text);

/// The one way from values to JSON text, indented unless `indent` is negative: bytes that are no UTF-8, as paths and
/// files may hold, become replacement characters.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}
template <std::same_as<SearchedJson> Searched>  // nothing that only becomes such a value
std::string json_text(const Searched& json) {
  return json.dump(-1, ' ', false, SearchedJson::error_handler_t::replace);
}

/// The version of all JSON that commands write. It grows when a field changes its meaning or goes, not when one is
/// added.
inline constexpr int schema_version = 2;

/// A field of an object that is being made, perhaps one of millions: of rows of tables, or results of small runs.
struct NamedValue {
  std::string_view name;
  mutable Json value;  ///< add() takes the value out of its list, whose elements are constant
};

/// What stands for a field that an object is to be without.
inline Json absent() {
  return Json::value_t::discarded;
}

/// Makes room for `more` fields of an object. An object that grows by itself copies all its values, however large,
/// since the names in it are constant: give room before many fields come, or where values are large.
inline void reserve(Json& object, std::size_t more) {
  auto& fields = object.get_ref<Json::object_t&>();
  if (fields.capacity() - fields.size() >= more) return;
  Json::object_t roomy;
  roomy.reserve(fields.size() + more);
  for (auto& [name, value] : fields) roomy.emplace_back(name, std::move(value));
  fields = std::move(roomy);
}

/// Adds fields, in this order, to an object that has none of them, and makes room for `more`.
inline void add(Json& object, std::initializer_list<NamedValue> fields, std::size_t more = 0) {
  reserve(object, fields.size() + more);
  auto& all = object.get_ref<Json::object_t&>();
  for (const auto& field : fields) {
    TOROID_ASSERT_HEAVY(all.find(std::string(field.name)) == all.end());
    all.emplace_back(std::string(field.name), std::move(field.value));
  }
}

/// The object with these fields in this order, with room for `more`; no name may come twice. The object is that of
/// `Json{{"a", 1}, {"b", 2}}`, which makes an array of each pair before it makes the object, and takes several times as
/// long.
inline Json object(std::initializer_list<NamedValue> fields, std::size_t more = 0) {
  Json object(Json::value_t::object);
  add(object, fields, more);
  return object;
}

/// Adds the fields of another object, none of which it has. `Json::update` would look for each field, and copy its
/// value.
inline void append(Json& object, Json&& more) {
  auto& added = more.get_ref<Json::object_t&>();
  reserve(object, added.size());
  auto& fields = object.get_ref<Json::object_t&>();
  for (auto& [name, value] : added) {
    TOROID_ASSERT_HEAVY(fields.find(name) == fields.end());
    fields.emplace_back(name, std::move(value));
  }
}

/// Calls `read`, which takes values out of JSON, and returns its result. Throws InputError, `found ..., expected WHAT`,
/// where a text is no JSON, and where a value is missing or of another type.
template <class Read>
auto read_document(std::string_view what, Read read) {
  try {
    return read();
  } catch (const JsonError& error) {
    fail_input("{}, expected {}", error.what(), what);
  } catch (const nlohmann::detail::exception& error) {  // its text begins with its number in brackets
    const std::string_view text(error.what());
    fail_input("found another document ({}), expected {}", text.substr(text.find(' ') + 1), what);
  }
}

}  // namespace toroid::core
