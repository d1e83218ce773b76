#include "mapping/slots.hpp"

#include "core/error.hpp"

namespace toroid::mapping {

void check_ranks_per_node(const platforms::Machine& machine, std::int32_t ranks_per_node) {
  const auto cores = machine.parameters().cores;
  if (ranks_per_node > cores)
    core::fail_input("{} ranks per node: {} allows 1 to {} (its cores; the platform key is cores)", ranks_per_node,
                     machine.name(), cores);
}

std::vector<platforms::NodeId> slots_on(std::span<const platforms::NodeId> nodes, std::int32_t ranks_per_node) {
  std::vector<platforms::NodeId> slots;
  for (const auto node : nodes) slots.insert(slots.end(), static_cast<std::size_t>(ranks_per_node), node);
  return slots;
}

void check_room(const platforms::Machine& machine, std::int32_t ranks, std::size_t slots) {
  if (static_cast<std::size_t>(ranks) > slots)
    core::fail_input(
        "{} ranks do not fit on {} slots of {}; expected a larger machine, more nodes or more ranks per node", ranks,
        slots, machine.name());
}

}  // namespace toroid::mapping
