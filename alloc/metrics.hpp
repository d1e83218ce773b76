#pragma once
// How good an allocation is, before anything runs on it: how far its nodes are from each other, and how compact they
// lie.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::alloc {

/// Routers count once, however many nodes of the allocation are on them.
struct AllocationMetrics {
  /// Over all pairs of nodes the hops between them, those there and those back halved. On meshes and tori the sum of
  /// pairwise L1 distances (Walker, Bunde, Leung 2010, Section I).
  double sum_pairwise_hops = 0;
  double mean_pairwise_hops = 0;  ///< that over the number of pairs; 0 for one node
  std::int32_t components = 0;    ///< of its routers, joined by the links between them that work
  platforms::Coordinates box{};   ///< extents of the smallest box around it; a box may lie over the wrap
  std::int64_t box_routers = 0;   ///< in that box
  std::int64_t surface = 0;       ///< cables from a router of the allocation to one that is not
};

/// Measures allocations on one machine. It keeps what it needs of each router, which is the size of the machine.
class Measure {
 public:
  explicit Measure(const platforms::Machine& machine);

  /// In O(nodes + extents) on machines whose hops add up from those along each dimension, else O(nodes^2).
  double sum_pairwise_hops(std::span<const platforms::NodeId> nodes);
  /// In O(nodes + extents), besides that.
  AllocationMetrics all(std::span<const platforms::NodeId> nodes);

 private:
  void count(std::span<const platforms::NodeId> nodes);
  double sum_of_counted(std::span<const platforms::NodeId> nodes) const;
  void measure_routers(AllocationMetrics& metrics, std::span<const platforms::NodeId> nodes);
  /// Goes to all routers of the allocation that links join to one; returns the cables that leave them.
  std::int64_t flood(platforms::RouterId from);

  enum class State : char { outside, inside, reached };

  const platforms::Machine& machine_;
  std::size_t dimensions_;
  std::vector<std::int32_t> coordinates_;                                    ///< by router and dimension
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> counts_;  ///< of nodes, by coordinate
  core::IdVector<platforms::RouterId, State> states_;                        ///< of the allocation
  /// Two for each dimension of each router: the ones forward and backward, none where no working link leads there.
  std::vector<platforms::RouterId> joined_;
  std::vector<platforms::RouterId> routers_, to_visit_;
};

}  // namespace toroid::alloc
