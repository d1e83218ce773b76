#include <fmt/format.h>

#include "cli/catalog.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/table.hpp"
#include "core/text.hpp"

namespace toroid::cli {
namespace {

void print_keys(const std::vector<core::AnyParameter>& keys) {
  for (const auto& key : keys) fmt::print("      {:<14} {}: {} ({})\n", key.name, key.help, key.values, key.fallback);
}

void print_kinds(const std::vector<CatalogEntry>& entries) {
  core::Table table({"  collective", "algorithm", ""});
  for (const auto& entry : entries) table.add({"  " + entry.kind, entry.name, entry.help});
  fmt::print("{}", table.text());
}

void print_section(const CatalogSection& section) {
  const auto entries = section.entries();
  if (!entries.front().kind.empty()) return print_kinds(entries);
  for (const auto& entry : entries) {
    const auto from = entry.from.empty() ? "" : fmt::format(" [{}]", core::excerpt(entry.from));
    fmt::print("  {:<{}} {}{}\n", entry.name, section.width, entry.help, from);
    print_keys(entry.keys);
  }
  if (!section.note.empty()) fmt::print("  {}\n", section.note);
  if (section.shared_keys != nullptr) print_keys(section.shared_keys());
}

core::Json keys_json(const std::vector<core::AnyParameter>& keys) {
  auto array = core::Json::array();
  for (const auto& key : keys)
    array.push_back({{"name", key.name}, {"help", key.help}, {"values", key.values}, {"default", key.fallback}});
  return array;
}

core::Json section_json(const CatalogSection& section) {
  auto entries = core::Json::array();
  for (const auto& entry : section.entries()) {
    core::Json row{{"name", entry.name}, {"help", entry.help}};
    if (!entry.kind.empty()) row["kind"] = entry.kind;
    if (!entry.from.empty()) row["from"] = entry.from;
    row["keys"] = keys_json(entry.keys);
    entries.push_back(std::move(row));
  }
  core::Json json{{"about", section.about}, {"entries", std::move(entries)}};
  if (section.shared_keys != nullptr) json["shared_keys"] = keys_json(section.shared_keys());
  return json;
}

/// The sections that are asked for: the one of that name, or all.
std::vector<CatalogSection> chosen(const std::string& wanted) {
  if (wanted.empty()) return catalog();
  for (const auto& section : catalog())
    if (wanted == section.name) return {section};
  core::fail_input("unknown list '{}'{}", wanted, core::valid_instead(wanted, list_sections()));
}

void list(const std::string& wanted, const std::string& json) {
  const auto sections = chosen(wanted);
  Outputs outputs;
  outputs.add(json, [&] {
    core::Json all{{"schema_version", core::schema_version}};
    for (const auto& section : sections) all[std::string(section.name)] = section_json(section);
    return core::json_text(all, 1) + "\n";
  });
  if (!outputs.to_stdout())
    for (const auto& section : sections) {
      if (wanted.empty()) fmt::print("{}:\n", section.name);
      print_section(section);
    }
  outputs.write();
}

}  // namespace

std::vector<std::string> list_sections() {
  std::vector<std::string> names;
  for (const auto& section : catalog()) names.emplace_back(section.name);
  return names;
}

void add_list(CLI::App& app) {
  auto* command =
      app.add_subcommand("list",
                         "what there is: platforms, their properties, schedulers, allocators, mappers, rank files, "
                         "generators, job streams, trace and matrix formats, collectives, engines");
  auto wanted = std::make_shared<std::string>(), json = std::make_shared<std::string>();
  command->add_option("WHAT", *wanted, core::join(list_sections()) + " (default: all)");
  add_output(*command, "--json", *json, "write them as JSON: names, help, keys with their values and defaults");
  command->callback([wanted, json] { list(*wanted, *json); });
}

}  // namespace toroid::cli
