#include "cli/placement_arguments.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/option.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "cosim/busy.hpp"
#include "cosim/placing.hpp"
#include "mapping/mapper.hpp"
#include "mapping/slots.hpp"

namespace toroid::cli {

using platforms::NodeId;

void PlacementArguments::add_to(CLI::App& command) {
  auto* nodes_option =
      command.add_option("--nodes", nodes, "the job's nodes in their order, e.g. 0-15,20 (default: all)");
  add_choice(command, "--alloc", alloc, "an allocator chooses the job's nodes (toroid list allocators)")
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

std::vector<NodeId> PlacementArguments::wanted(const platforms::Machine& machine,
                                               const std::vector<NodeId>& taken) const {
  auto wanted = nodes.empty() ? mapping::all_nodes(machine) : mapping::parse_nodes(nodes, machine);
  const std::set<NodeId> busy_nodes(taken.begin(), taken.end());
  for (const NodeId node : wanted)
    if (!nodes.empty() && busy_nodes.contains(node)) core::fail_input("--nodes: node {} is busy", node);
  std::erase_if(wanted, [&](NodeId node) { return busy_nodes.contains(node); });
  return wanted;
}

PlacementArguments::Slots PlacementArguments::slots_on(const platforms::Machine& machine, std::uint64_t seed) const {
  core::in_context("--ranks-per-node", [&] { mapping::check_ranks_per_node(machine, ranks_per_node); });
  auto taken_nodes = taken(machine, seed);
  if (!alloc)
    return [slots = mapping::slots_on(wanted(machine, taken_nodes), ranks_per_node)](std::int32_t) { return slots; };
  return [&machine, seed, taken_nodes = std::move(taken_nodes), per_node = ranks_per_node,
          allocator = *alloc](std::int32_t ranks) {
    const auto found = core::in_context(
        "--alloc", [&] { return cosim::allocate(machine, allocator, taken_nodes, (ranks - 1) / per_node + 1, seed); });
    return mapping::slots_on(found, per_node);
  };
}

void PlacementArguments::record(core::Json& manifest) const {
  manifest["nodes"] = nodes.empty() ? "all" : nodes;
  if (alloc) manifest["alloc"] = alloc->text();
  if (!busy.empty()) manifest["busy"] = busy;
  manifest["ranks_per_node"] = ranks_per_node;
}

}  // namespace toroid::cli
