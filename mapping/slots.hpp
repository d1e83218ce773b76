#pragma once
// Room for ranks on the nodes of a job.

#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::mapping {

/// Throws InputError when a node of the machine cannot take so many ranks, one to each of its cores.
void check_ranks_per_node(const platforms::Machine& machine, std::int32_t ranks_per_node);

/// The slots of a MappingProblem: every node `ranks_per_node` times, in the order of the nodes.
std::vector<platforms::NodeId> slots_on(std::span<const platforms::NodeId> nodes, std::int32_t ranks_per_node);

/// Throws InputError when there are more ranks than slots.
void check_room(const platforms::Machine& machine, std::int32_t ranks, std::size_t slots);

}  // namespace toroid::mapping
