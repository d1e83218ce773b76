// `toroid pages schema`: the tables of fields (cli/result_fields.hpp) as a JSON Schema.

#include <array>

#include "cli/pages/catalog.hpp"
#include "cli/result_fields.hpp"

namespace toroid::cli {
namespace {

using core::Json;

/// A text without an ending or a beginning, if it has it.
bool drop_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.erase(text.size() - end.size());
  return true;
}
bool drop_begin(std::string& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.erase(0, begin.size());
  return true;
}

Json reference(const std::string& object) {
  return {{"$ref", "#/$defs/" + object}};
}

/// The schema of values of a type as tables of fields spell it.
Json schema_of(std::string type) {
  if (drop_end(type, " or null")) return {{"anyOf", {schema_of(type), {{"type", "null"}}}}};
  if (drop_end(type, " by name")) return {{"type", "object"}, {"additionalProperties", schema_of(type)}};
  if (drop_begin(type, "list of ")) return {{"type", "array"}, {"items", schema_of(type)}};
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
void add_fields(Json& schema, const core::ObjectText& object, const std::string& or_null) {
  for (const auto& field : object.fields) {
    const std::string name(field.name);
    std::string type(field.type);
    if (name == "...") {
      const std::string null = drop_end(type, " or null") ? " or null" : or_null;
      if (!drop_begin(type, "fields of ")) {
        schema["additionalProperties"] = true;
        continue;
      }
      add_fields(schema, *std::ranges::find(result_objects(), type, &core::ObjectText::name), null);
      continue;
    }
    auto value = schema_of(type + or_null);
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
