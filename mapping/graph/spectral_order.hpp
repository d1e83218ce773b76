#pragma once
// Order of ranks along the Fiedler vector of their traffic.

#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// Orders parts of a traffic graph by their Fiedler vector, the eigenvector of the second least eigenvalue of the
/// Laplacian: cut anywhere, few bytes cross the cut. The vector is found by inverse iteration, each step solved by
/// conjugate gradients, to a few digits: enough to order by.
class SpectralOrder {
 public:
  /// `graph` must outlive this object.
  explicit SpectralOrder(const TrafficGraph& graph) : graph_(graph), local_(graph.rank_count(), -1) {}

  /// Sorts the ranks of a part by their entries, equal ones by rank. Ranks that no path within the part connects stay
  /// apart: components one after the other, in order of their first rank in the part. Of several eigenvectors of one
  /// eigenvalue, as those of a cube along its three axes, that one is taken that goes with the order of the ranks.
  void sort(std::span<Rank> part);

 private:
  const TrafficGraph& graph_;
  core::IdVector<Rank, std::int32_t> local_;  ///< index in the part; -1 of ranks outside
};

}  // namespace toroid::mapping
