#pragma once
// Nodes that fill a box of the grid.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// Nodes at all combinations of some coordinates along each dimension: a box, or every so many places of one.
struct Block {
  std::vector<std::int32_t> extents;  ///< how many different coordinates there are, by dimension
  std::vector<std::size_t> node_at;   ///< which of the nodes is at each place, the first dimension fastest
};

/// The block that the nodes fill; nothing if they fill none, or two of them are on one router.
std::optional<Block> block_of(const Machine& machine, std::span<const NodeId> nodes);

}  // namespace toroid::platforms
