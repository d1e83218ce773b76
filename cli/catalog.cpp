#include "cli/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "alloc/allocator.hpp"
#include "cosim/busy.hpp"
#include "cosim/scheduler.hpp"
#include "jobs/jobs.hpp"
#include "mapping/mapper.hpp"
#include "mapping/rank_files.hpp"
#include "netsim/network.hpp"
#include "platforms/load.hpp"
#include "platforms/machine_formats.hpp"
#include "platforms/presets.hpp"
#include "platforms/xml.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

using Entries = std::vector<CatalogEntry>;

template <auto& registry>
Entries entries_of() {
  Entries rows;
  for (const auto& entry : registry().entries())
    rows.push_back({fmt::format("{}{}{}", entry.name, entry.argument.empty() ? "" : ":", entry.argument),
                    std::string(entry.help),
                    {},
                    entry.parameters,
                    entry.from});
  return rows;
}

Entries machines() {
  Entries rows;
  for (const auto& kind : platforms::inline_platforms())
    rows.push_back({fmt::format("{}:EXTENTS", kind.name), std::string(kind.help)});
  for (const auto& name : platforms::preset_names()) rows.push_back({name, platforms::describe(name).text});
  rows.push_back({"FILE.xml", "a platform file (toroid platform create)"});
  return rows;
}

Entries properties() {
  Entries rows;
  for (const auto& property : platforms::property_help())
    rows.push_back({fmt::format("{}{}{}", property.name, property.alias.empty() ? "" : ", ", property.alias),
                    fmt::format("{}{}{}", property.help, property.of_dimension ? "; of one dimension: x." : "",
                                property.may_change ? "; may change in a run (--at)" : "")});
  return rows;
}

Entries collectives() {
  Entries rows;
  for (const auto& algorithm : workloads::collective_algorithms())
    rows.push_back({std::string(algorithm.name), std::string(algorithm.help), std::string(to_string(algorithm.kind))});
  return rows;
}

/// Streams that are made up and formats of logs; the filters, which all of them take, are the section's shared keys.
Entries job_streams() {
  const auto is_filter = [](const core::AnyParameter& key) {
    const auto& filters = jobs::job_filters();
    return std::any_of(filters.begin(), filters.end(), [&](const auto& filter) { return filter.name == key.name; });
  };
  auto rows = entries_of<jobs::job_generators>();
  for (auto& row : rows) std::erase_if(row.keys, is_filter);
  for (const auto& entry : jobs::job_formats().entries())
    rows.push_back({fmt::format("FILE ({})", entry.name), std::string(entry.help)});
  return rows;
}

}  // namespace

const std::vector<CatalogSection>& catalog() {
  static const std::vector<CatalogSection> sections{
      {"platforms", "machines", 22, machines,
       "each may go on with properties, e.g. mesh:8x8,bandwidth=2GBps or bigben:z.wrap=mesh"},
      {"properties", "properties of machines", 32, properties},
      {"exports", "formats of machines (platform export --to)", 16, entries_of<platforms::machine_formats>},
      {"schedulers", "schedulers", 16, entries_of<cosim::schedulers>},
      {"busy", "what holds other nodes of a machine (--busy)", 16, entries_of<cosim::busy_machines>},
      {"allocators", "allocators", 16, entries_of<alloc::allocators>},
      {"mappers", "mappers", 16, entries_of<mapping::mappers>},
      {"rankfiles", "rank files for launchers (map --format)", 16, entries_of<mapping::rank_file_formats>},
      {"generators", "programs that need no trace", 16, entries_of<workloads::generators>},
      {"jobs", "job streams and job logs", 16, job_streams,
       "each of them may be narrowed and scaled, FILE:first=1000,arrivals=0.5", [] { return jobs::job_filters(); }},
      {"formats", "formats of traces", 16, entries_of<workloads::trace_formats>},
      {"matrices", "formats of communication matrices", 16, entries_of<workloads::matrix_formats>},
      {"collectives", "algorithms of collectives", 16, collectives},
      {"engines", "engines", 16, entries_of<netsim::engines>}};
  return sections;
}

}  // namespace toroid::cli
