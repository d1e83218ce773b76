#include "cli/arguments.hpp"

#include "study/draws.hpp"

namespace toroid::cli {
namespace {

std::pair<std::string, std::string> parse_assignment(const std::string& option, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    core::fail_input("{} '{}': expected {}", option, text, option == "--wrap" ? "z=mesh" : "property=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

Option uncertainty_option(std::size_t& draws, const std::string& help) {
  return {"--uncertainty", draws, whole(1, study::most_draws), called("N"), help};
}

Option workers_option(std::size_t& workers, const std::string& help) {
  return {"--workers", workers, whole(1, 4096), unrecorded, help};
}

Option seed_option(std::uint64_t& seed, const std::string& help) {
  return {"--seed", seed, any_seed(), setting, help};
}

Option platform_argument(std::string& platform) {
  return {"PLATFORM", platform, machine_name(), required,
          "machine: mesh:8x8, torus:4x4x4, ring:12x8, a preset such as bigben, an XML file, or a topology.yaml of "
          "Slurm, each with properties: mesh:8x8,bandwidth=2GBps (toroid list platforms, toroid list properties)"};
}

Option trace_argument(std::string& trace, const std::string& help) {
  return {"TRACE", trace, trace_name(), required, help};
}

Options machine_options(MachineArguments& o) {
  return {
      Heading{"Changes of the machine"},
      {"--set", o.set, common, repeated,
       "change a property of the platform: y.bandwidth=2GBps, or by a factor: y.bandwidth=x0.5 (may be repeated)"},
      {"--wrap", o.wrap, common, like({"mesh", "torus", "ring"}), repeated,
       "change the wrap: mesh, or of one dimension z=mesh (may be repeated)"},
      {"--fail-link", o.fail_link, repeated,
       "links that are down, as they are printed: n5-n6, (0,1)-(0,2), n5>n6 one way, 'n5 -> n6 (+x)' (may be "
       "repeated)"},
      {"--fail-node", o.fail_node, repeated,
       "nodes that are down: 17, 0-3, those of a box (0-5,0,0) or z=0 (may be repeated)"},
      {"--fail-router", o.fail_router, repeated,
       "routers that are down, with their links and nodes: r17, n34, (0,1), a box (0-5,0,0) or z=0 (may be repeated)"},
  };
}

std::vector<std::pair<std::string, std::string>> MachineArguments::properties() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& text : set) all.push_back(parse_assignment("--set", text));
  for (const auto& text : wrap) {
    if (text.find('=') == std::string::npos) {
      all.emplace_back("wrap", text);
      continue;
    }
    const auto [dimension, value] = parse_assignment("--wrap", text);
    all.emplace_back(dimension + ".wrap", value);
  }
  if (!fail_link.empty()) all.emplace_back("fail-link", core::join(fail_link, " "));
  if (!fail_node.empty()) all.emplace_back("fail-node", core::join(fail_node, " "));
  if (!fail_router.empty()) all.emplace_back("fail-router", core::join(fail_router, " "));
  return all;
}

std::string MachineArguments::apply(const std::string& platform) const {
  refuse_swapped("PLATFORM", platform);
  const auto changes = properties();
  return changes.empty() ? platform : platforms::with_properties(platform, changes);
}

Options placement_options(cosim::Placement& o) {
  return placement_options_with(
      o, {"--alloc", o.alloc, common, "an allocator chooses the job's nodes (toroid list allocators)", setting});
}

Options placement_options_with(cosim::Placement& o, Option alloc) {
  excludes("--nodes")(alloc);
  return {
      Heading{"Placement"},
      {"--nodes", o.nodes, common, setting_or("all"),
       "the job's nodes in their order: numbers such as 0-15,20, names such as nid[001-016], boxes such as (0-5,0,0) "
       "or z=0, or @FILE with any of these on its lines (default: all)"},
      std::move(alloc),
      {"--busy", o.busy, entry_of(cosim::busy_machines()), setting,
       "nodes that other jobs hold: a list such as 0-15,20, (0-5,0,0) or @FILE, as --nodes has; a share, drawn by the "
       "seed, such as random:0.7; or what the jobs of a log hold at a time, schedule:jobs=log.swf,at=3600s (toroid "
       "list busy)"},
      {"--ranks-per-node", o.ranks_per_node, common, whole(1, 1'000'000), setting,
       "ranks that share a node, up to its cores"},
  };
}

Options rank_file_options(RankFileArguments& o) {
  return {
      Heading{"Rank files"},
      {"-o,--output", o.output, common, output_file(), "write the mapping (- for standard output)"},
      {"--format", o.format, common, entry_of(mapping::rank_file_formats()),
       "format of the mapping: nodes (for --map), or that of a launcher (toroid list rankfiles)"},
      {"--hosts", o.hosts, common,
       "names of the hosts: {} is the node's number, {:05} with five digits; or a file with one a line, for all nodes "
       "of the machine or for those of the job in their order (default: the names of the machine's nodes, or node-{})"},
  };
}

RankFileArguments::Writer RankFileArguments::read() const {
  Writer writer{mapping::rank_file_formats().find(format).make, {}};
  if (!hosts.empty()) writer.hosts.emplace(hosts);
  return writer;
}

std::string RankFileArguments::Writer::text(const mapping::Machine& machine, std::span<const mapping::NodeId> slots,
                                            const mapping::Mapping& mapping) const {
  auto names = hosts ? *hosts : mapping::HostNames(machine);
  if (hosts) names.belong_to(machine, slots);
  return write({machine, slots, mapping, names});
}

}  // namespace toroid::cli
