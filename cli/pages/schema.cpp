// `toroid pages schema`: the tables of fields (cli/result_fields.hpp) as a JSON Schema.

#include "cli/pages/catalog.hpp"
#include "cli/result_fields.hpp"

namespace toroid::cli {
namespace {

using core::Json;

constexpr std::string_view null = " or null", by_name = " by name", list_of = "list of ", fields_of = "fields of ";

Json reference(const std::string& object) {
  return {{"$ref", "#/$defs/" + object}};
}

/// The schema of values of a type as tables of fields spell it.
Json schema_of(const std::string& type) {
  const auto without = [&](std::string_view end) { return schema_of(type.substr(0, type.size() - end.size())); };
  if (type.ends_with(null)) return {{"anyOf", {without(null), {{"type", "null"}}}}};
  if (type.ends_with(by_name)) return {{"type", "object"}, {"additionalProperties", without(by_name)}};
  if (type.starts_with(list_of)) return {{"type", "array"}, {"items", schema_of(type.substr(list_of.size()))}};
  if (type == "any") return Json::object();
  if (type == "text") return {{"type", "string"}};
  if (type == "yes or no") return {{"type", "boolean"}};
  if (type == "count") return {{"type", "integer"}};
  const auto& objects = result_objects();
  if (std::ranges::find(objects, type, &core::ObjectText::name) != objects.end()) return reference(type);
  return {{"type", "number"}};
}

/// The names of fields that a name with a word in capitals stands for, as a regular expression.
std::string pattern(const std::string& name) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto begin = std::find_if(name.begin(), name.end(), is_capital);
  const auto end = std::find_if_not(begin, name.end(), is_capital);
  const auto words = std::string(begin, end) == "SUBJECT"
                         ? core::join(Names(core::subjects_of_fields.begin(), core::subjects_of_fields.end()), "|")
                         : "[a-z-]+";
  return fmt::format("^{}({}){}$", std::string(name.begin(), begin), words, std::string(end, name.end()));
}

/// Adds the fields of an object, and those that it has by others, to the schema of the object.
void add_fields(Json& schema, const core::ObjectText& object, std::string_view or_null) {
  for (const auto& field : object.fields) {
    const std::string name(field.name), type(field.type);
    if (name == "...") {
      const bool are_null = type.ends_with(null);
      if (!type.starts_with(fields_of)) {
        schema["additionalProperties"] = true;
        continue;
      }
      const auto other = type.substr(fields_of.size(), type.size() - fields_of.size() - (are_null ? null.size() : 0));
      add_fields(schema, *std::ranges::find(result_objects(), other, &core::ObjectText::name),
                 are_null ? null : or_null);
      continue;
    }
    auto value = schema_of(std::string(type).append(or_null));
    value["description"] = field.meaning;
    const bool is_pattern = core::stands_for_others(name);
    schema[is_pattern ? "patternProperties" : "properties"][is_pattern ? pattern(name) : name] = std::move(value);
  }
}

}  // namespace

std::string json_schema(const CLI::App&) {
  Json all{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
           {"title", fmt::format("JSON that toroid writes, schema_version {}", core::schema_version)},
           {"anyOf", Json::array()},
           {"$defs", Json::object()}};
  for (const auto& object : result_objects()) {
    Json schema{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    add_fields(schema, object, "");
    const std::string name(object.name);
    if (object.fields.front().name == core::version_text.name) {
      schema["required"] = {core::version_text.name};
      all["anyOf"].push_back(reference(name));
    }
    all["$defs"][name] = std::move(schema);
  }
  return core::json_text(all, 1) + "\n";
}

}  // namespace toroid::cli
