#pragma once
// The traffic of a job as a graph: ranks that exchange bytes are neighbours.

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/problem/assignment.hpp"
#include "mapping/problem/slot_hops.hpp"
#include "workloads/summary.hpp"

namespace toroid::mapping {

/// Neighbours of each rank in ascending order. Ranks that exchange no byte, and a rank and itself, are none.
class TrafficGraph {
 public:
  struct Edge {
    std::int32_t rank;      ///< the neighbour
    double sent, received;  ///< bytes to it and from it
    double bytes() const { return sent + received; }
  };

  explicit TrafficGraph(const workloads::CommunicationMatrix& matrix);

  std::int32_t ranks() const { return static_cast<std::int32_t>(begin_.size()) - 1; }
  std::span<const Edge> neighbours(std::int32_t rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {edges_.data() + begin_[r], begin_[r + 1] - begin_[r]};
  }
  /// Bytes that a rank exchanges with all others.
  double bytes(std::int32_t rank) const;
  /// Two for each pair of neighbours.
  std::size_t edge_count() const { return edges_.size(); }

 private:
  std::vector<Edge> edges_;
  std::vector<std::size_t> begin_;
};

/// The classic cost of a mapping: bytes of every pair of ranks times the hops between their slots.
double hop_bytes(const TrafficGraph& graph, const SlotHops& hops, const Assignment& slot_of);

}  // namespace toroid::mapping
