#include "cosim/placement.hpp"

#include <set>
#include <utility>

#include "core/context.hpp"
#include "core/error.hpp"
#include "cosim/placing.hpp"
#include "mapping/mapper.hpp"

namespace toroid::cosim {

std::vector<NodeId> Placement::taken(const platforms::Machine& machine, std::uint64_t seed) const {
  if (!busy) return {};
  return core::in_context("--busy", [&] { return (*busy)->nodes(machine, seed); });
}

bool Placement::has_neighbours() const {
  return busy && (*busy)->has_programs();
}

std::vector<JobDescription> Placement::neighbours(const platforms::Machine& machine, std::uint64_t seed) const {
  if (!busy) return {};
  return core::in_context("--busy", [&] { return (*busy)->neighbours(machine, seed); });
}

bool Placement::has_drawn_order(const platforms::Machine& machine) const {
  // One with a seed of its own draws, too.
  return alloc && (traits_of(*alloc, machine).uses_seed || alloc->text().find("random") != std::string::npos);
}

std::set<std::string> Placement::lots(const platforms::Machine& machine) const {
  std::set<std::string> names;
  if (alloc && traits_of(*alloc, machine).uses_seed) names.insert("nodes of " + alloc->text());
  if (busy && core::in_context("--busy", [&] { return (*busy)->uses_seed(machine); })) names.insert("busy nodes");
  return names;
}

std::vector<NodeId> Placement::wanted(const platforms::Machine& machine, const std::vector<NodeId>& taken) const {
  auto wanted = nodes.empty() ? mapping::all_nodes(machine) : mapping::parse_nodes(nodes, machine);
  const std::set<NodeId> busy_nodes(taken.begin(), taken.end());
  for (const NodeId node : wanted)
    if (!nodes.empty() && busy_nodes.contains(node)) core::fail_input("--nodes: node {} is busy", node);
  std::erase_if(wanted, [&](NodeId node) { return busy_nodes.contains(node); });
  return wanted;
}

Placement::Slots Placement::slots_on(const platforms::Machine& machine, std::uint64_t seed) const {
  core::in_context("--ranks-per-node", [&] { mapping::check_ranks_per_node(machine, ranks_per_node); });
  if (has_neighbours())
    core::fail_input("--busy: found the key program; neighbours run in toroid simulate alone, expected their nodes");
  auto taken_nodes = taken(machine, seed);
  if (!alloc)
    return [slots = mapping::slots_on(wanted(machine, taken_nodes), ranks_per_node)](std::int32_t) { return slots; };
  return [&machine, seed, taken_nodes = std::move(taken_nodes), per_node = ranks_per_node,
          allocator = *alloc](std::int32_t ranks) {
    const auto found = core::in_context(
        "--alloc", [&] { return allocate(machine, allocator, taken_nodes, (ranks - 1) / per_node + 1, seed); });
    return mapping::slots_on(found, per_node);
  };
}

}  // namespace toroid::cosim
