#include "cli/pages/catalog.hpp"

#include "cli/result_fields.hpp"
#include "mapping/rank_files.hpp"
#include "platforms/document.hpp"
#include "toroid/cosim/placement.hpp"
#include "toroid/platforms/load.hpp"
#include "views/timelines/formats.hpp"
#include "workloads/collectives/rules.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/generators/llm/models.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {
namespace {

using Entries = std::vector<CatalogEntry>;

template <auto& registry>
Entries registered() {
  Entries rows;
  for (const auto& entry : registry().entries())
    rows.push_back({fmt::format("{}{}{}", entry.name, entry.argument.empty() ? "" : ":", entry.argument),
                    std::string(entry.help),
                    {},
                    entry.parameters,
                    {},
                    entry.from});
  return rows;
}

Entries machines() {
  Entries rows;
  for (const auto& kind : platforms::inline_platforms())
    rows.push_back({fmt::format("{}:EXTENTS", kind.name), std::string(kind.help)});
  for (const auto& name : platforms::preset_names()) {
    const auto machine = platforms::describe(name);
    rows.push_back({name, fmt::format("{}; {}", machine.text, shape_text(machine))});
  }
  rows.push_back({"FILE.xml", "a platform file (toroid platform create)"});
  return rows;
}

Entries properties() {
  Entries rows;
  for (const auto& property : platforms::property_help()) {
    const auto engines = netsim::engines_that_take(property.name);
    const bool by_all = engines.size() == netsim::engines().names().size();
    rows.push_back({fmt::format("{}{}{}", property.name, property.alias.empty() ? "" : ", ", property.alias),
                    fmt::format("{}{}{}", property.help, property.may_change ? "; may change in a run (--at)" : "",
                                by_all ? "" : "; engines that take it: " + core::join(engines)),
                    property.of_dimension ? "dimension" : "machine"});
  }
  return rows;
}

Entries collectives() {
  Entries rows;
  for (const auto& algorithm : workloads::collective_algorithms())
    rows.push_back({std::string(algorithm.name), std::string(algorithm.help), std::string(to_string(algorithm.kind))});
  return rows;
}

/// What each rule takes for the collectives that it has lines for.
Entries collective_rules() {
  Entries rows;
  for (const auto& rule : workloads::collective_rules())
    for (const auto kind : rule.kinds())
      rows.push_back({std::string(to_string(kind)), rule.text(kind), std::string(rule.name)});
  return rows;
}

Entries trainings() {
  Entries rows;
  for (const auto& [name, training] : workloads::llm::configurations())
    rows.push_back({std::string(name), fmt::format("{}: {} ranks, {} sequences a step; {}", training.source,
                                                   training.ranks(), training.sequences(), training.keys)});
  return rows;
}

Entries fields() {
  Entries rows;
  for (const auto& object : result_objects())
    for (const auto& field : object.fields)
      rows.push_back(
          {std::string(field.name), std::string(field.meaning), std::string(object.name), {}, std::string(field.type)});
  return rows;
}

/// Streams that are made up and formats of logs; the filters, which all of them take, are the section's shared keys.
Entries job_streams() {
  const auto is_filter = [](const core::AnyParameter& key) {
    const auto& filters = jobs::job_filters();
    return std::ranges::any_of(filters, [&](const auto& filter) { return filter.name == key.name; });
  };
  auto rows = registered<jobs::job_generators>();
  for (auto& row : rows) std::erase_if(row.keys, is_filter);
  for (const auto& entry : jobs::job_formats().entries())
    rows.push_back({fmt::format("FILE ({})", entry.name), std::string(entry.help)});
  return rows;
}

}  // namespace

std::vector<CatalogEntry> entries_of(const CatalogSection& section, std::string_view name) {
  const auto bare = [](const CatalogEntry& entry) { return entry.name.substr(0, entry.name.find_first_of(":,")); };
  const auto all = section.entries();
  Entries of_kind, of_name;
  std::vector<std::string> valid;
  for (const auto& entry : all) {
    if (entry.kind == name) of_kind.push_back(entry);
    if (bare(entry) == name) of_name.push_back(entry);
    const auto& known = entry.kind.empty() ? bare(entry) : entry.kind;
    if (std::ranges::find(valid, known) == valid.end()) valid.push_back(known);
  }
  if (of_kind.empty() && of_name.empty())
    core::fail_input("unknown {} '{}'{}", section.one, core::excerpt(name), core::valid_instead(name, valid));
  return of_kind.empty() ? of_name : of_kind;
}

const std::vector<CatalogSection>& catalog() {
  static const std::vector<CatalogSection> sections{
      {"platforms", "machines", "machine", machines, 22, "",
       "each may go on with properties, e.g. mesh:8x8,bandwidth=2GBps or bigben:z.wrap=mesh"},
      {"properties", "properties of machines", "property", properties, 32, "of a",
       "those of a dimension are for all dimensions, or for one of them: x.bandwidth=2GBps"},
      {"exports", "formats of machines (platform export --to)", "format", registered<platforms::machine_formats>},
      {"schedulers", "schedulers", "scheduler", registered<cosim::schedulers>},
      {"busy", "what holds other nodes of a machine (--busy)", "holder", registered<cosim::busy_machines>},
      {"allocators", "allocators", "allocator", registered<alloc::allocators>},
      {"mappers", "mappers", "mapper", registered<mapping::mappers>},
      {"rankfiles", "rank files for launchers (map --format)", "format", registered<mapping::rank_file_formats>},
      {"generators", "programs that need no trace", "program", registered<workloads::generators>},
      {"jobs", "job streams and job logs", "jobs", job_streams, 16, "",
       "each of them may be narrowed and scaled, FILE:first=1000,arrivals=0.5", [] { return jobs::job_filters(); }},
      {"formats", "formats of traces", "format", registered<workloads::trace_formats>},
      {"matrices", "formats of communication matrices", "format", registered<workloads::matrix_formats>},
      {"trainings", "published trainings of language models (llm:configuration=NAME)", "configuration", trainings, 20},
      {"collectives", "algorithms of collectives", "algorithm", collectives, 16, "collective"},
      {"rules", "rules that choose these algorithms (--collectives)", "collective", collective_rules, 16, "rule", "",
       nullptr, "algorithm"},
      {"engines", "engines", "engine", registered<netsim::engines>},
      {"viewers", "files of a run for viewers (simulate --NAME FILE)", "format", registered<views::run_formats>},
      {"fields", "fields of JSON results", "field", fields, 16, "object"}};
  return sections;
}

}  // namespace toroid::cli
