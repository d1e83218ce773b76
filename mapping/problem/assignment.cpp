#include "mapping/problem/assignment.hpp"

#include <map>

namespace toroid::mapping {

using platforms::NodeId;

Assignment assignment_of(const netsim::Mapping& mapping, std::span<const NodeId> slots) {
  std::map<NodeId, std::vector<Slot>> free;  // of each node, last first
  for (std::size_t slot = slots.size(); slot-- > 0;) free[slots[slot]].push_back(static_cast<Slot>(slot));
  Assignment assignment;
  for (const NodeId node : mapping) {
    auto& here = free.at(node);
    assignment.push_back(here.back());
    here.pop_back();
  }
  for (const auto& [node, left] : free) assignment.insert(assignment.end(), left.rbegin(), left.rend());
  return assignment;
}

netsim::Mapping mapping_of(const Assignment& slot_of, std::span<const NodeId> slots, std::int32_t ranks) {
  netsim::Mapping mapping;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
    mapping.add(slots[static_cast<std::size_t>(slot_of[rank])]);
  return mapping;
}

}  // namespace toroid::mapping
