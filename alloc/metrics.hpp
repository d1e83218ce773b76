#pragma once
// How good an allocation is, before anything runs on it: how far its nodes are from each other, and how compact they
// lie; and sums of distances, dimension by dimension, from how many nodes there are at each coordinate.

#include "toroid/alloc/allocator.hpp"

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

/// The metrics of an allocation. A router counts once, however many of the nodes are on it.
struct AllocationMetrics {
  /// The sum over all pairs of nodes of the hops between them, the mean of both directions. On meshes and tori it is
  /// the sum of pairwise L1 distances (Walker, Bunde, Leung 2010, Section I).
  double sum_pairwise_hops = 0;
  double mean_pairwise_hops = 0;  ///< the mean over the pairs; 0 for one node
  std::int32_t components = 0;    ///< connected components of its routers, joined by working links between them
  platforms::Coordinates box{};   ///< extents of the smallest box around its routers, which may lie over the wrap
  std::int64_t box_routers = 0;   ///< number of routers in that box
  std::int64_t surface = 0;       ///< cables from a router of the allocation to one that is not
};

/// Measures allocations on one machine. Its memory is in proportion to the number of routers.
class Measure {
 public:
  explicit Measure(const Machine& machine);

  /// Computes AllocationMetrics::sum_pairwise_hops, in O(nodes + extents) on machines that are separable
  /// (Machine::separable), else in O(nodes^2).
  double sum_pairwise_hops(std::span<const NodeId> nodes);
  /// Computes all metrics, in O(nodes + extents) besides the time for sum_pairwise_hops().
  AllocationMetrics all(std::span<const NodeId> nodes);

 private:
  void count(std::span<const NodeId> nodes);
  void measure_routers(AllocationMetrics& metrics, std::span<const NodeId> nodes);
  /// Marks all routers of the allocation that links join to `from` as reached. Returns the number of cables that leave
  /// them for other routers.
  std::int64_t flood(RouterId from);

  enum class State : char { outside, inside, reached };

  const Machine& machine_;
  std::size_t dimensions_;
  std::vector<std::int32_t> coordinates_;                                    ///< coordinates by router and dimension
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> counts_;  ///< numbers of nodes, by coordinate
  core::IdVector<RouterId, State> states_;                                   ///< whether a router is in the allocation
  /// For each router and dimension the neighbours forward and backward; none() where no working link joins them.
  std::vector<RouterId> joined_;
  std::vector<RouterId> routers_, to_visit_;
};

}  // namespace toroid::alloc
