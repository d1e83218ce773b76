#include "mapping/problem/assignment.hpp"

namespace toroid::mapping {

using platforms::NodeId;

Assignment in_order(std::size_t ranks) {
  Assignment slot_of;
  for (const Slot slot : core::ids<Slot>(ranks)) slot_of.add(slot);
  return slot_of;
}

Assignment assignment_of(const netsim::Mapping& mapping, std::span<const NodeId> slots) {
  TOROID_ASSERT(mapping.size() <= slots.size());
  std::map<NodeId, std::vector<Slot>> free;  // of each node, last first
  for (std::size_t slot = slots.size(); slot-- > 0;) free[slots[slot]].emplace_back(slot);
  Assignment assignment;
  for (const NodeId node : mapping) {
    auto& here = free.at(node);
    TOROID_ASSERT(!here.empty());
    assignment.add(here.back());
    here.pop_back();
  }
  for (const auto& [node, left] : free)
    for (auto slot = left.rbegin(); slot != left.rend(); ++slot) assignment.add(*slot);
  TOROID_ASSERT(assignment.size() == slots.size());
  return assignment;
}

netsim::Mapping mapping_of(const Assignment& slot_of, std::span<const NodeId> slots, std::int32_t ranks) {
  TOROID_ASSERT(ranks >= 0 && static_cast<std::size_t>(ranks) <= slot_of.size());
  netsim::Mapping mapping;
  for (const Rank rank : core::ids<Rank>(ranks)) mapping.add(slots[slot_of[rank].index()]);
  return mapping;
}

}  // namespace toroid::mapping
