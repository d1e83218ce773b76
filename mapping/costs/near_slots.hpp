#pragma once
// The slots around a slot, for searches that want to bring ranks close to each other.

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem/assignment.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

/// Of each slot: those of its own node, it among them, and of the nodes around, fewest links away first, at least two
/// nodes for each dimension of the grid where there are as many. By the links of the grid, either way.
class NearSlots {
 public:
  /// Every slot is a node of the machine. Takes time in proportion to the slots if these are close together.
  NearSlots(const platforms::Machine& machine, std::span<const platforms::NodeId> slots);

  std::span<const Slot> operator()(Slot slot) const { return near_[list_of_[slot]]; }

 private:
  core::IdVector<Slot, std::size_t> list_of_;  ///< of each slot; slots on one router share theirs
  std::vector<std::vector<Slot>> near_;
};

}  // namespace toroid::mapping
