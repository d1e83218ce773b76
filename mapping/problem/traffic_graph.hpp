#pragma once
// The traffic of a job as a graph: ranks that exchange bytes are neighbours.

#include "mapping/problem/points.hpp"

namespace toroid::mapping {

/// The neighbours of each rank, in ascending order. Ranks that exchange no byte are no neighbours, nor is a rank its
/// own.
class TrafficGraph {
 public:
  struct Edge {
    Rank rank;              ///< the neighbour
    double sent, received;  ///< bytes to the neighbour and from it
    double bytes() const { return sent + received; }
  };

  explicit TrafficGraph(const workloads::CommunicationMatrix& matrix);

  std::int32_t rank_count() const { return Rank(begin_.size() - 1).value(); }
  core::IdRange<Rank> ranks() const { return core::ids<Rank>(rank_count()); }
  std::span<const Edge> neighbours(Rank rank) const {
    return {edges_.data() + begin_[rank], begin_[rank + 1] - begin_[rank]};
  }
  /// The bytes that a rank exchanges with all others.
  double bytes(Rank rank) const;
  /// The number of edges: two for each pair of neighbours.
  std::size_t edge_count() const { return edges_.size(); }

 private:
  std::vector<Edge> edges_;
  core::IdVector<Rank, std::size_t> begin_;  ///< where the edges of each rank begin; and the end of the last
};

/// The classic cost of a mapping: the bytes of every pair of ranks times the hops between their slots.
double hop_bytes(const TrafficGraph& graph, const SlotHops& hops, const Assignment& slot_of);

}  // namespace toroid::mapping
