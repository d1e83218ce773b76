#include <fmt/format.h>

#include <algorithm>

#include "alloc/allocator.hpp"
#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/table.hpp"
#include "cosim/busy.hpp"
#include "cosim/scheduler.hpp"
#include "jobs/jobs.hpp"
#include "mapping/mapper.hpp"
#include "mapping/rank_files.hpp"
#include "netsim/network.hpp"
#include "platforms/load.hpp"
#include "platforms/presets.hpp"
#include "platforms/xml.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

void print_keys(const std::vector<core::AnyParameter>& keys) {
  for (const auto& key : keys) fmt::print("      {:<14} {}: {} ({})\n", key.name, key.help, key.values, key.fallback);
}

template <class Make>
void print_registry(const core::Registry<Make>& registry) {
  for (const auto& entry : registry.entries()) {
    const std::string name = fmt::format("{}{}{}", entry.name, entry.argument.empty() ? "" : ":", entry.argument);
    fmt::print("  {:<16} {}\n", name, entry.help);
    print_keys(entry.parameters);
  }
}

void print_platforms() {
  for (const auto& kind : platforms::inline_platforms())
    fmt::print("  {:<22} {}\n", fmt::format("{}:EXTENTS", kind.name), kind.help);
  for (const auto& name : platforms::preset_names()) fmt::print("  {:<22} {}\n", name, platforms::describe(name).text);
  fmt::print("  {:<22} {}\n  each may go on with properties, e.g. mesh:8x8,bandwidth=2GBps or bigben:z.wrap=mesh\n",
             "FILE.xml", "a platform file (toroid platform create)");
}

void print_properties() {
  for (const auto& property : platforms::property_help()) {
    const auto name = fmt::format("{}{}{}", property.name, property.alias.empty() ? "" : ", ", property.alias);
    fmt::print("  {:<32} {}{}{}\n", name, property.help, property.of_dimension ? "; of one dimension: x." : "",
               property.may_change ? "; may change in a run (--at)" : "");
  }
}

void print_collectives() {
  core::Table table({"  collective", "algorithm", ""});
  for (const auto& algorithm : workloads::collective_algorithms())
    table.add(
        {"  " + std::string(to_string(algorithm.kind)), std::string(algorithm.name), std::string(algorithm.help)});
  fmt::print("{}", table.text());
}

/// What all of them can be told is said once.
void print_jobs() {
  const auto is_filter = [](const core::AnyParameter& key) {
    const auto& filters = jobs::job_filters();
    return std::any_of(filters.begin(), filters.end(), [&](const auto& filter) { return filter.name == key.name; });
  };
  for (const auto& entry : jobs::job_generators().entries()) {
    fmt::print("  {:<16} {}\n", entry.name, entry.help);
    auto own = entry.parameters;
    std::erase_if(own, is_filter);
    print_keys(own);
  }
  for (const auto& entry : jobs::job_formats().entries())
    fmt::print("  {:<16} {}\n", fmt::format("FILE ({})", entry.name), entry.help);
  fmt::print("  each of them may be narrowed and scaled, FILE:first=1000,arrivals=0.5\n");
  print_keys(jobs::job_filters());
}

struct Section {
  const char* name;
  void (*print)();
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all{{"platforms", print_platforms},
                                        {"properties", print_properties},
                                        {"schedulers", [] { print_registry(cosim::schedulers()); }},
                                        {"busy", [] { print_registry(cosim::busy_machines()); }},
                                        {"allocators", [] { print_registry(alloc::allocators()); }},
                                        {"mappers", [] { print_registry(mapping::mappers()); }},
                                        {"rankfiles", [] { print_registry(mapping::rank_file_formats()); }},
                                        {"generators", [] { print_registry(workloads::generators()); }},
                                        {"jobs", print_jobs},
                                        {"formats", [] { print_registry(workloads::trace_formats()); }},
                                        {"matrices", [] { print_registry(workloads::matrix_formats()); }},
                                        {"collectives", print_collectives},
                                        {"engines", [] { print_registry(netsim::engines()); }}};
  return all;
}

void list(const std::string& wanted) {
  bool found = false;
  for (const auto& section : sections()) {
    if (!wanted.empty() && wanted != section.name) continue;
    if (wanted.empty()) fmt::print("{}:\n", section.name);
    section.print();
    found = true;
  }
  if (!found) core::fail_input("unknown list '{}'{}", wanted, core::valid_instead(wanted, list_sections()));
}

}  // namespace

std::vector<std::string> list_sections() {
  std::vector<std::string> names;
  for (const auto& section : sections()) names.emplace_back(section.name);
  return names;
}

void add_list(CLI::App& app) {
  auto* command =
      app.add_subcommand("list",
                         "what there is: platforms, their properties, schedulers, allocators, mappers, rank files, "
                         "generators, job streams, trace and matrix formats, collectives, engines");
  auto wanted = std::make_shared<std::string>();
  command->add_option("WHAT", *wanted, core::join(list_sections()) + " (default: all)");
  command->callback([wanted] { list(*wanted); });
}

}  // namespace toroid::cli
