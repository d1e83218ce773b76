// The reference as pages in Markdown; and the tables of fields (cli/result_fields.hpp) as a JSON Schema.

#include <CLI/CLI.hpp>
#include <cctype>

#include "cli/pages/catalog.hpp"
#include "cli/result_fields.hpp"

namespace toroid::cli {
namespace {

constexpr std::string_view null = " or null", by_name = " by name", list_of = "list of ", fields_of = "fields of ";

/// Text that Markdown shows as it is, also in a cell of a table.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|<>*_[]\\").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out + "`";
}

std::string option_row(const CLI::Option& option) {
  auto name = spelling(option);
  if (option.nonpositional() && takes_value(option)) name += " " + option.get_type_name();
  return fmt::format("| {} | {} | {} |\n", code(name), plain(option.get_description()),
                     option.get_default_str().empty() ? "" : code(option.get_default_str()));
}

std::string option_table(const CLI::App& command) {
  std::string text = "| option | what it does | default |\n|---|---|---|\n";
  for (const auto* option : options(command)) text += option_row(*option);
  return text + "\n";
}

/// The commands below a command, a line each; empty if there are none. `name` is the whole of it: `toroid trace`.
std::string subcommand_table(const CLI::App& command, const std::string& name) {
  std::string text;
  for (const auto* sub : subcommands(command))
    text += fmt::format("| {} | {} |\n", code(name + " " + sub->get_name()), plain(sub->get_description()));
  return text.empty() ? text : "| command | what it does |\n|---|---|\n" + text + "\n";
}

/// The tables of a command, and a section for each command below it.
std::string command_text(const CLI::App& command, const std::string& name) {
  auto text = option_table(command) + subcommand_table(command, name);
  for (const auto* sub : subcommands(command)) {
    const auto whole = name + " " + sub->get_name();
    text += fmt::format("## {}\n\n{}.\n\n{}", whole, plain(sub->get_description()), command_text(*sub, whole));
  }
  return text;
}

std::string key_table(const std::vector<core::AnyParameter>& keys) {
  std::string text = "| key | meaning and values | default |\n|---|---|---|\n";
  for (const auto& key : keys)
    text +=
        fmt::format("| {} | {}: {} | {} |\n", code(key.name), plain(key.help), plain(key.values), code(key.fallback));
  return text;
}

/// Keys in a cell, a line for each, with its default: `cost` (classic).
std::string key_list(const std::vector<core::AnyParameter>& keys) {
  std::vector<std::string> all;
  for (const auto& key : keys) all.push_back(fmt::format("{} ({})", code(key.name), plain(key.fallback)));
  return core::join(all, "<br>");
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const auto& cell : cells) text += cell.empty() ? " |" : fmt::format(" {} |", cell);
  return text + "\n";
}

/// What the value of a field is, where its name does not say so: `runtime_s` is in seconds, `critical_path` a critical
/// path.
std::string untold_type(const std::string& name, std::string type) {
  const auto is_optional = type.ends_with(null);
  auto value = type.substr(0, type.size() - (is_optional ? null.size() : 0));
  auto words = name;
  std::replace(words.begin(), words.end(), '_', ' ');
  const bool is_told = words == value || (value == "seconds" && name.ends_with("_s")) ||
                       ((value == "bytes" || value == "share") && name.ends_with(value));
  if (!is_told) return type;
  return is_optional ? "or null" : "";
}

/// A line for each entry, with the keys if any of them has some. Kinds are lines above their entries, and what the
/// value of a field is stands behind its name.
std::string entry_table(const CatalogSection& section, const std::vector<CatalogEntry>& entries) {
  const auto any = [&](auto&& has) { return std::ranges::any_of(entries, has); };
  const bool has_kinds = any([&](const auto& entry) { return entry.kind != entries.front().kind; });
  const bool has_types = any([](const auto& entry) { return !entry.type.empty(); });
  const bool has_keys = any([](const auto& entry) { return !entry.keys.empty(); });
  std::vector<std::string> heading{fmt::format("{}{}", section.one, has_types ? " (value)" : ""),
                                   std::string(section.help)};
  if (has_keys) heading.emplace_back("keys (unless given)");
  auto text = row(heading) + (has_keys ? "|---|---|---|\n" : "|---|---|\n");
  std::string_view kind;
  for (const auto& entry : entries) {
    if (has_kinds && entry.kind != kind) text += fmt::format("| **{}** |\n", plain(entry.kind));
    kind = entry.kind;
    const auto type = untold_type(entry.name, entry.type);
    std::vector<std::string> cells{code(entry.name) + (type.empty() ? "" : fmt::format(" ({})", plain(type))),
                                   plain(entry.help)};
    if (has_keys) cells.push_back(key_list(entry.keys));
    text += row(cells);
  }
  return text;
}

/// The keys of each entry that has some, under a heading.
std::string section_text(const CatalogSection& section) {
  std::string text;
  for (const auto& entry : section.entries())
    if (!entry.keys.empty()) text += fmt::format("### {}\n\n{}\n", code(entry.name), key_table(entry.keys));
  if (text.empty()) return text;
  std::string heading(section.about);
  heading.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(heading.front())));
  return fmt::format("## {}\n\n{}", heading, text);
}

// The schema

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
  const auto begin = std::ranges::find_if(name, is_capital);
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

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options(const CLI::App& app) {
  return app.get_options([](const CLI::Option*) { return true; });
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

Names spellings(const CLI::Option& option) {
  if (!option.nonpositional()) return {option.get_name(true)};
  Names names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string spelling(const CLI::Option& option) {
  return core::join(spellings(option));
}

std::string catalog_tables(const CatalogSection& section, const std::vector<CatalogEntry>& entries) {
  if (entries.size() == 1 && !entries.front().keys.empty()) return key_table(entries.front().keys);
  auto text = entry_table(section, entries);
  if (section.shared_keys != nullptr) text += "\n" + key_table(section.shared_keys());
  return text;
}

std::string commands_reference(const CLI::App& app) {
  return "# Commands\n\nEvery command and option, as `toroid COMMAND --help-all` prints them.\n\n## toroid\n\n" +
         command_text(app, "toroid");
}

std::string catalog_reference(const CLI::App&) {
  std::string text = "# Catalog\n\nThe keys of all that has a name, as `toroid list` prints them.\n\n";
  for (const auto& section : catalog()) text += section_text(section);
  return text;
}

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
