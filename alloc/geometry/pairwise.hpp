#pragma once
// Sums of distances between nodes, dimension by dimension, from how many there are at each coordinate.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "platforms/grid.hpp"

namespace toroid::alloc {

/// How many nodes there are at each coordinate of a dimension.
using Counts = std::span<const std::int32_t>;

/// The hops from coordinate a to b and back along a dimension: on a mesh and a torus twice the distance, on a one-way
/// ring once round.
inline std::int32_t hops_both_ways(const platforms::Dimension& dimension, std::int32_t a, std::int32_t b) {
  const std::int32_t straight = std::abs(a - b);
  if (dimension.wrap == platforms::Wrap::mesh) return 2 * straight;
  if (dimension.wrap == platforms::Wrap::ring) return straight == 0 ? 0 : dimension.extent;
  return 2 * std::min(straight, dimension.extent - straight);
}

/// The sum of hops_both_ways over all pairs of `nodes` nodes, in O(extent).
std::int64_t sum_of_hops_both_ways(const platforms::Dimension& dimension, Counts counts, std::int64_t nodes);

/// A lower bound of the sum of hops_both_ways from any coordinate to `nodes` nodes: on a mesh the sum from their
/// median, on dimensions that wrap 0.
std::int64_t least_hops_both_ways(const platforms::Dimension& dimension, Counts counts, std::int64_t nodes);

}  // namespace toroid::alloc
