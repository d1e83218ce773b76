#include "toroid/core/fields.hpp"

#include <cctype>

namespace toroid::core {
namespace {

/// Takes the ending off the text, if the text has it.
bool drop_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

bool drop_begin(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

/// Whether a table's name of a field, with its word in capitals, is this name.
bool is_name(std::string_view tabled, std::string_view name) {
  const auto is_capital = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto word = std::ranges::find_if(tabled, is_capital);
  if (word == tabled.end()) return tabled == name;
  const auto behind = std::find_if_not(word, tabled.end(), is_capital);
  if (!drop_begin(name, {tabled.begin(), word}) || !drop_end(name, {behind, tabled.end()})) return false;
  if (std::string_view(word, behind) == "SUBJECT")
    return std::ranges::find(subjects_of_fields, name) != subjects_of_fields.end();
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return c == '-' || std::islower(static_cast<unsigned char>(c)) != 0; });
}

bool is_plain(const Json& value, std::string_view type) {
  constexpr std::array<std::string_view, 5> numbers{"seconds", "bytes", "B/s", "share", "number"};
  if (type == "any") return true;
  if (type == "text") return value.is_string();
  if (type == "yes or no") return value.is_boolean();
  if (type == "count") return value.is_number_integer();
  return value.is_number() && std::ranges::find(numbers, type) != numbers.end();
}

/// Values beside the types that a table says they have.
class Check {
 public:
  Check(const std::vector<ObjectText>& tables, const SeenField& seen) : tables_(tables), seen_(seen) {}

  void value(const Json& json, std::string_view type, const std::string& where) const {
    const auto whole = type;
    const auto blame = [&] { fail_input("{}: found {}, expected {}", where, excerpt(json_text(json)), whole); };
    while (drop_end(type, " or null"))
      if (json.is_null()) return;
    if (drop_end(type, " by name")) {
      if (!json.is_object()) blame();
      for (const auto& [name, one] : json.items()) value(one, type, fmt::format("{}[\"{}\"]", where, excerpt(name)));
    } else if (drop_begin(type, "list of ")) {
      if (!json.is_array()) blame();
      for (std::size_t i = 0; i < json.size(); ++i) value(json[i], type, fmt::format("{}[{}]", where, i));
    } else if (const auto* of_object = find(type)) {
      if (!json.is_object()) blame();
      object(json, *of_object, where);
    } else if (!is_plain(json, type)) {
      blame();
    }
  }

 private:
  const ObjectText* find(std::string_view name) const {
    const auto found = std::ranges::find(tables_, name, &ObjectText::name);
    return found == tables_.end() ? nullptr : &*found;
  }

  void object(const Json& value, const ObjectText& object, const std::string& where) const {
    const auto inside = where.empty() ? std::string() : where + ".";
    for (const auto& [name, one] : value.items())
      if (!field(one, name, object, "", inside))
        fail_input("found the unknown field '{}{}'{}", inside, excerpt(name), valid_instead(name, names_of(object)));
  }

  /// The names of all fields, with those that an object has by others.
  std::vector<std::string> names_of(const ObjectText& object) const {
    std::vector<std::string> names;
    for (const auto& text : object.fields) {
      auto part = text.type;
      drop_end(part, " or null");
      if (text.name != "...") {
        names.emplace_back(text.name);
      } else if (drop_begin(part, "fields of ")) {
        const auto more = names_of(*find(part));
        names.insert(names.end(), more.begin(), more.end());
      }
    }
    return names;
  }

  /// Checks a field, which an object has by itself or by another object whose fields it has. Returns whether there is
  /// such a field. `or_null` is added to the types of fields.
  bool field(const Json& value, std::string_view name, const ObjectText& object, std::string_view or_null,
             const std::string& inside) const {
    bool has_options = false;
    for (const auto& text : object.fields) {
      if (text.name != "...") {
        if (!is_name(text.name, name)) continue;
        if (seen_) seen_(object, text);
        this->value(value, std::string(text.type).append(or_null), inside + std::string(name));
        return true;
      }
      auto part = text.type;
      has_options = has_options || part == "options";
      const bool nulls = drop_end(part, " or null");
      if (drop_begin(part, "fields of ") && field(value, name, *find(part), nulls ? " or null" : or_null, inside))
        return true;
    }
    return has_options;
  }

  const std::vector<ObjectText>& tables_;
  const SeenField& seen_;
};

}  // namespace

void check_document(const Json& document, std::string_view object, const std::vector<ObjectText>& tables,
                    const SeenField& seen) {
  if (!document.is_object()) fail_input("found {}, expected an object", excerpt(json_text(document)));
  Check(tables, seen).value(document, object, "");
}

}  // namespace toroid::core
