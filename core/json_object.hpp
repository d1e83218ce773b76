#pragma once
// Objects of JSON that are made by the million: rows of tables, results of small runs.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/json.hpp"

namespace toroid::core {

/// A field of an object that is being made.
struct NamedValue {
  std::string_view name;
  mutable Json value;  ///< add() takes the value out of its list, whose elements are constant
};

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
  for (const auto& field : fields) all.emplace_back(std::string(field.name), std::move(field.value));
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
  for (auto& [name, value] : added) fields.emplace_back(name, std::move(value));
}

}  // namespace toroid::core
