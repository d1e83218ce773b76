#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/pages/catalog.hpp"
#include "core/table.hpp"

namespace toroid::cli {
namespace {

void print_keys(const std::vector<core::AnyParameter>& keys) {
  for (const auto& key : keys) fmt::print("      {:<14} {}: {} ({})\n", key.name, key.help, key.values, key.fallback);
}

void print_kinds(const CatalogSection& section, const std::vector<CatalogEntry>& entries) {
  core::Table table({fmt::format("  {}", section.one_kind), std::string(section.one), ""});
  for (const auto& entry : entries)
    table.add({"  " + entry.kind, entry.name,
               entry.type.empty() ? entry.help : fmt::format("{}: {}", entry.type, entry.help)});
  fmt::print("{}", table.text());
}

void print_section(const CatalogSection& section, const std::vector<CatalogEntry>& entries) {
  if (!section.one_kind.empty())
    print_kinds(section, entries);
  else
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

core::Json section_json(const CatalogSection& section, const std::vector<CatalogEntry>& chosen) {
  auto entries = core::Json::array();
  for (const auto& entry : chosen) {
    core::Json row{{"name", entry.name}, {"help", entry.help}};
    if (!entry.kind.empty()) row["kind"] = entry.kind;
    if (!entry.type.empty()) row["type"] = entry.type;
    if (!entry.from.empty()) row["from"] = entry.from;
    row["keys"] = keys_json(entry.keys);
    entries.push_back(std::move(row));
  }
  core::Json json{{"about", section.about}, {"entries", std::move(entries)}};
  if (section.shared_keys != nullptr) json["shared_keys"] = keys_json(section.shared_keys());
  return json;
}

struct ListOptions {
  std::string section;  ///< what is wanted; empty for all
  Names names;          ///< which of its entries; none for all
  std::string json, markdown;
};

struct Chosen {
  const CatalogSection& section;
  std::vector<CatalogEntry> entries;
};

std::vector<CatalogEntry> wanted_entries(const CatalogSection& section, const Names& names) {
  if (names.empty()) return section.entries();
  std::vector<CatalogEntry> all;
  for (const auto& name : names)
    for (auto& entry : entries_of(section, name)) all.push_back(std::move(entry));
  return all;
}

std::vector<Chosen> chosen(const ListOptions& o) {
  std::vector<Chosen> all;
  for (const auto& section : catalog())
    if (o.section.empty() || o.section == section.name) all.push_back({section, wanted_entries(section, o.names)});
  if (all.empty()) core::fail_input("unknown list '{}'{}", o.section, core::valid_instead(o.section, list_sections()));
  return all;
}

void list(const ListOptions& o) {
  const auto sections = chosen(o);
  Outputs outputs;
  outputs.add(o.json, [&] {
    core::Json all{{"schema_version", core::schema_version}};
    for (const auto& [section, entries] : sections) all[std::string(section.name)] = section_json(section, entries);
    return core::json_text(all, 1) + "\n";
  });
  outputs.add(o.markdown, [&] {
    std::vector<std::string> tables;
    for (const auto& [section, entries] : sections) tables.push_back(catalog_tables(section, entries));
    return core::join(tables, "\n");
  });
  if (!outputs.to_stdout())
    for (const auto& [section, entries] : sections) {
      if (o.section.empty()) fmt::print("{}:\n", section.name);
      print_section(section, entries);
    }
  outputs.write();
}

Options list_options(ListOptions& o) {
  return {
      {"WHAT", o.section, like(list_sections()), core::join(list_sections()) + " (default: all)"},
      {"NAMES", o.names, "only what has these names, such as grasp, or is of these kinds, such as allreduce"},
      {"--json", o.json, output_file(), "write them as JSON: names, help, keys with their values and defaults"},
      {"--markdown", o.markdown, output_file(), "write them as tables in Markdown; of one NAME the table of its keys"},
  };
}

}  // namespace

std::vector<std::string> list_sections() {
  std::vector<std::string> names;
  for (const auto& section : catalog()) names.emplace_back(section.name);
  return names;
}

void add_list(CLI::App& app) {
  add_command<ListOptions>(app, "list",
                           "what there is: platforms, their properties, schedulers, allocators, mappers, rank files, "
                           "generators, job streams, trace and matrix formats, collectives, engines, viewers, fields "
                           "of results",
                           list_options, list);
}

}  // namespace toroid::cli
