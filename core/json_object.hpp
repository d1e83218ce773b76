#pragma once
// Objects of JSON that are made by the million: rows of tables, results of small runs.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "core/json.hpp"

namespace toroid::core {

/// A field of an object that is being made.
struct Field {
  std::string_view name;
  mutable Json value;  ///< object() takes the value out of its list, whose elements are constant
};

/// The object with these fields in this order; no name may come twice. The object is that of `Json{{"a", 1}, {"b",
/// 2}}`, which makes an array of each pair before it makes the object, and takes several times as long.
inline Json object(std::initializer_list<Field> fields) {
  Json::object_t object;
  object.reserve(fields.size());
  for (const auto& field : fields) object.emplace_back(std::string(field.name), std::move(field.value));
  return object;
}

/// Adds fields to an object that has none of them. `Json::update` would look for each field, and copy its value.
inline void append(Json& object, Json&& more) {
  auto& fields = object.get_ref<Json::object_t&>();
  auto& added = more.get_ref<Json::object_t&>();
  fields.reserve(fields.size() + added.size());
  for (auto& [name, value] : added) fields.emplace_back(name, std::move(value));
}

}  // namespace toroid::core
