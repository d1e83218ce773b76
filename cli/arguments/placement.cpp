#include "cli/arguments.hpp"

namespace toroid::cli {

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
