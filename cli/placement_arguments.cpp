#include "cli/placement_arguments.hpp"

#include "cli/option.hpp"
#include "core/error.hpp"
#include "mapping/mapper.hpp"

namespace toroid::cli {

void PlacementArguments::add_to(CLI::App& command) {
  command.add_option("--nodes", nodes, "the job's nodes in their order, e.g. 0-15,20 (default: all)");
  command.add_option("--ranks-per-node", ranks_per_node, "ranks that share a node, up to its cores")
      ->capture_default_str()
      ->transform(whole(1, 1000000));
}

std::vector<platforms::NodeId> PlacementArguments::slots(const platforms::Machine& machine) const {
  const auto cores = machine.parameters().cores;
  if (ranks_per_node > cores)
    core::fail_input("--ranks-per-node {}: {} allows 1 to {} (its cores; the platform key is cores)", ranks_per_node,
                     machine.name(), cores);
  std::vector<platforms::NodeId> slots;
  for (const auto node : nodes.empty() ? mapping::all_nodes(machine) : mapping::parse_nodes(nodes, machine))
    slots.insert(slots.end(), static_cast<std::size_t>(ranks_per_node), node);
  return slots;
}

void PlacementArguments::record(core::Json& manifest) const {
  manifest["nodes"] = nodes.empty() ? "all" : nodes;
  manifest["ranks_per_node"] = ranks_per_node;
}

}  // namespace toroid::cli
