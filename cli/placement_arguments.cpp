#include "cli/placement_arguments.hpp"

#include <algorithm>
#include <set>

#include "cli/option.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "cosim/placing.hpp"
#include "mapping/mapper.hpp"
#include "mapping/slots.hpp"

namespace toroid::cli {

using platforms::NodeId;

void PlacementArguments::add_to(CLI::App& command) {
  auto* nodes_option =
      command.add_option("--nodes", nodes, "the job's nodes in their order, e.g. 0-15,20 (default: all)");
  command.add_option("--alloc", alloc, "an allocator chooses the job's nodes (toroid list allocators)")
      ->excludes(nodes_option);
  command.add_option("--busy", busy,
                     "what is taken by others: nodes such as 0-15,20, a share by the seed such as random:0.7, or what "
                     "jobs hold at a time, schedule:jobs=log.swf,at=3600s (toroid list busy)");
  command.add_option("--ranks-per-node", ranks_per_node, "ranks that share a node, up to its cores")
      ->capture_default_str()
      ->transform(whole(1, 1000000));
}

std::vector<NodeId> PlacementArguments::taken(const platforms::Machine& machine, std::uint64_t seed) const {
  if (busy.empty()) return {};
  return core::in_context("--busy", [&] { return cosim::make_busy(busy)->nodes(machine, seed); });
}

std::vector<NodeId> PlacementArguments::nodes_for(const platforms::Machine& machine, std::int32_t ranks,
                                                  std::uint64_t seed) const {
  const auto taken_nodes = taken(machine, seed);
  if (!alloc.empty())
    return core::in_context("--alloc", [&] {
      return cosim::allocate(machine, alloc, taken_nodes, (ranks - 1) / ranks_per_node + 1, seed);
    });
  auto wanted = nodes.empty() ? mapping::all_nodes(machine) : mapping::parse_nodes(nodes, machine);
  const std::set<NodeId> busy_nodes(taken_nodes.begin(), taken_nodes.end());
  for (const NodeId node : wanted)
    if (!nodes.empty() && busy_nodes.contains(node)) core::fail_input("--nodes: node {} is busy", node);
  std::erase_if(wanted, [&](NodeId node) { return busy_nodes.contains(node); });
  return wanted;
}

std::vector<NodeId> PlacementArguments::slots(const platforms::Machine& machine, std::int32_t ranks,
                                              std::uint64_t seed) const {
  core::in_context("--ranks-per-node", [&] { return mapping::check_ranks_per_node(machine, ranks_per_node); });
  return mapping::slots_on(nodes_for(machine, ranks, seed), ranks_per_node);
}

void PlacementArguments::record(core::Json& manifest) const {
  manifest["nodes"] = nodes.empty() ? "all" : nodes;
  if (!alloc.empty()) manifest["alloc"] = alloc;
  if (!busy.empty()) manifest["busy"] = busy;
  manifest["ranks_per_node"] = ranks_per_node;
}

}  // namespace toroid::cli
