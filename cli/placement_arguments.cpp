#include "cli/placement_arguments.hpp"

#include "cli/option.hpp"
#include "cli/outputs.hpp"

namespace toroid::cli {

void PlacementArguments::add_to(CLI::App& command) {
  add_nodes(command);
  add_choice(command, "--alloc", alloc, "an allocator chooses the job's nodes (toroid list allocators)")
      ->excludes("--nodes");
  add_rest(command);
}

void PlacementArguments::add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators,
                                std::vector<std::string>& labels, const std::string& help) {
  add_nodes(command);
  add_choices(command, "--alloc", allocators, help, &labels)->excludes("--nodes");
  add_rest(command);
}

void PlacementArguments::add_nodes(CLI::App& command) {
  command.add_option("--nodes", nodes,
                     "the job's nodes in their order: numbers such as 0-15,20, names such as nid[001-016], boxes such "
                     "as (0-5,0,0) or z=0, or @FILE with any of these on its lines (default: all)");
}

void PlacementArguments::add_rest(CLI::App& command) {
  add_choice(
      command, "--busy", busy,
      "nodes that other jobs hold: a list such as 0-15,20, (0-5,0,0) or @FILE, as --nodes has; a share, drawn by "
      "the seed, such as random:0.7; or "
      "what the jobs of a log hold at a time, schedule:jobs=log.swf,at=3600s (toroid list busy)");
  command.add_option("--ranks-per-node", ranks_per_node, "ranks that share a node, up to its cores")
      ->capture_default_str()
      ->transform(whole(1, 1000000));
}

void PlacementArguments::record(core::Json& manifest) const {
  manifest["nodes"] = nodes.empty() ? "all" : nodes;
  if (alloc) manifest["alloc"] = alloc->text();
  if (busy) manifest["busy"] = busy->text();
  manifest["ranks_per_node"] = ranks_per_node;
}

void RankFileArguments::add_to(CLI::App& command) {
  add_output(command, "-o,--output", output, "write the mapping (- for standard output)");
  command
      .add_option("--format", format,
                  "format of the mapping: nodes (for --map), or that of a launcher (toroid list rankfiles)")
      ->capture_default_str();
  command.add_option(
      "--hosts", hosts,
      "names of the hosts: {} is the node's number, {:05} with five digits; or a file with one a line, for "
      "all nodes of the machine or for those of the job in their order "
      "(default: the names of the machine's nodes, or node-{})");
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
