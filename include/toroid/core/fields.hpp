#pragma once
// Objects of JSON, each told once: a table has the names of the fields, what they are, and how each is taken from a
// value. Documents are written by these tables; `toroid list fields`, the reference and the check of documents that are
// read back (check_document()) come from them.

#include <array>
#include <functional>

#include "toroid/core/json.hpp"

/// Null where there is no value.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class AnyJson>
  static void to_json(AnyJson& json, const std::optional<T>& value) {
    json = value ? AnyJson(*value) : AnyJson();
  }
};

namespace toroid::core {

/// What a field is, for people.
struct FieldText {
  /// In capitals stands what varies: `SUBJECT` for map, alloc, platform or trace, `PURPOSE` for what a communicator is
  /// for.
  /// `...` stands for several fields, as its type says.
  std::string_view name;
  /// What its value is. A unit or kind of number: seconds, bytes, B/s, share (of 1), count (a whole number), number;
  /// text; yes or no; the name of an object, a list (`list of rank`), or an object whose fields users name (`rank by
  /// name`); any. `fields of X` stands for all fields of X. A type ends in ` or null` where there may be none.
  std::string_view type;
  std::string_view meaning;
};

/// A kind of object, with its fields in the order in which they are written.
struct ObjectText {
  std::string_view name;  ///< `run`, `rank`
  std::vector<FieldText> fields;
};

/// A list or text; absent where it is empty.
template <class Value>
Json unless_empty(const Value& value) {
  return value.empty() ? absent() : Json(value);
}

/// Pairs of names and values as an object.
template <class Pairs>
Json by_name(const Pairs& pairs) {
  Json all = Json::object();
  for (const auto& [name, value] : pairs) all[std::string(name)] = value;
  return all;
}

/// Whether a field stands for several, or for one whose name the table does not know: `...`, or a name with a word in
/// capitals.
inline bool stands_for_others(std::string_view name) {
  return name == "..." || std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// What SUBJECT stands for in names of fields; `SUBJECTs` of `collectives` are `collectives`.
inline constexpr std::array<std::string_view, 6> subjects_of_fields{"map",        "alloc",    "collectives",
                                                                    "collective", "platform", "trace"};

/// A field of objects that are made of a T. The getter of one that stands_for_others() returns an object with these
/// fields. A field without a getter is written by other means.
template <class T>
struct Field {
  std::string_view name, type, meaning;
  std::function<Json(const T&)> get;
};

// The fields that all documents have.

inline constexpr FieldText version_text{
    "schema_version", "count",
    "2, in all JSON that toroid writes: grows when a field changes its meaning or goes; new fields do not count"};
inline constexpr FieldText manifest_text{"manifest", "manifest",
                                         "what the result was made from; the same manifest gives the same file"};

/// The field with that text.
template <class T>
Field<T> field(const FieldText& text, std::function<Json(const T&)> get) {
  return {text.name, text.type, text.meaning, std::move(get)};
}
template <class T>
Field<T> version_field() {
  return field<T>(version_text, [](const T&) { return schema_version; });
}

/// A kind of object that is made of a T.
template <class T>
class Object {
 public:
  Object(std::string_view name, std::vector<Field<T>> fields) : name_(name), fields_(std::move(fields)) {}

  Json operator()(const T& of) const {
    std::vector<Json> values;
    values.reserve(fields_.size());
    std::size_t count = 0;
    for (const auto& field : fields_) {
      const auto& value = values.emplace_back(field.get ? field.get(of) : absent());
      count += stands_for_others(field.name) ? value.size() : 1;
    }
    Json object(Json::value_t::object);
    reserve(object, count);
    auto& all = object.template get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i].is_discarded()) continue;
      if (stands_for_others(fields_[i].name))
        append(object, std::move(values[i]));
      else
        all.emplace_back(std::string(fields_[i].name), std::move(values[i]));
    }
    return object;
  }

  /// A list of objects, each made of one of the values.
  template <class Values>
  Json list(const Values& values) const {
    Json all = Json::array();
    for (const auto& value : values) all.push_back((*this)(value));
    return all;
  }

  /// What the object is, for people.
  operator ObjectText() const {
    ObjectText text{name_, {}};
    for (const auto& field : fields_) text.fields.push_back({field.name, field.type, field.meaning});
    return text;
  }

 private:
  std::string_view name_;
  std::vector<Field<T>> fields_;
};

/// Hears of a field of a table that a document has.
using SeenField = std::function<void(const ObjectText& object, const FieldText& field)>;

/// Holds a document that is read back to the tables of its kind of object and of all that are in it. Throws InputError,
/// which names the first field that is unknown or of another type than the table says. What a reader does not find
/// there, read_document() (core/json.hpp) tells.
void check_document(const Json& document, std::string_view object, const std::vector<ObjectText>& tables,
                    const SeenField& seen = {});

}  // namespace toroid::core
