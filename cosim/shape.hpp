#pragma once
// How close together the nodes of a job are.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::cosim {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

struct Shape {
  /// Sum over all pairs of nodes of the hops from one to the other (where that is not the same both ways, of the mean):
  /// what Walker, Bunde and Leung 2010 and their kin compare allocators by.
  double pairwise_hops = 0;
  std::int32_t components = 0;  ///< parts that no working link joins; nodes of one router are together
  std::int64_t box = 0;         ///< routers of the smallest box around it, across wrap-around links where that is less
  std::int32_t surface =
      0;  ///< working links between a router of the job and one without a node of it, once for both ways

  double mean_pairwise_hops(std::size_t nodes) const {
    const auto n = static_cast<double>(nodes);
    return nodes < 2 ? 0 : pairwise_hops / (n * (n - 1) / 2);
  }
};

/// Measures allocations of one machine, each in time in proportion to its nodes and the machine's extents; the pairwise
/// hops on machines with twisted tori or failed links in proportion to the pairs.
class ShapeMeter {
 public:
  explicit ShapeMeter(const Machine& machine);

  Shape measure(std::span<const NodeId> nodes);

 private:
  double hops_along(std::size_t dimension) const;
  double hops_pair_by_pair(std::span<const NodeId> nodes) const;
  std::int32_t box_along(std::size_t dimension) const;
  void count_parts(Shape& shape);

  const Machine& machine_;
  std::vector<RouterId> neighbours_;  ///< of each router, a pair for each dimension, -1 where no working link leads
  // Of the allocation that is measured:
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> nodes_at_;  ///< by coordinate
  std::vector<RouterId> routers_;                                              ///< each once
  std::vector<std::int32_t> place_;                                            ///< in routers_, by router; -1: none
};

}  // namespace toroid::cosim
