#pragma once
// The slots around a slot, for searches that want to bring ranks close to each other.

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem/assignment.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

/// For each slot, the slots close to it: those of its own node, itself among them, then those of the nodes around it,
/// the fewest links away first. There are at least two such nodes for each dimension of the grid, if the job has as
/// many. Links of the grid count in either direction.
class NearSlots {
 public:
  /// Every slot is a node of the machine. The time is proportional to the number of slots if these are close together.
  NearSlots(const platforms::Machine& machine, std::span<const platforms::NodeId> slots);

  std::span<const Slot> operator()(Slot slot) const { return near_[list_of_[slot]]; }

 private:
  core::IdVector<Slot, std::size_t> list_of_;  ///< the number of each slot's list; slots on one router share a list
  std::vector<std::vector<Slot>> near_;
};

}  // namespace toroid::mapping
