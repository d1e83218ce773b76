#pragma once
// Bisection of the traffic and of the slots together, again and again (Pellegrini 1994; Hoefler, Snir, ICS'11).

#include <functional>

#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// A part of the ranks that is to be cut in two, one half for the lower part of some slots and one for the upper.
struct RanksToCut {
  std::span<Rank> ranks;
  std::size_t lower;  ///< how many go to the lower half
  double distance;    ///< hops between the middles of the halves
  /// Of each rank of the job, of use for those to be cut only: what it exchanges with ranks of other parts costs so
  /// many bytes times hops more in the upper half than in the lower.
  const core::IdVector<Rank, double>& bias;
};

/// Brings the ranks of the lower half to the front.
using Bisect = std::function<void(RanksToCut&)>;

/// Cuts the slots across the dimension in which they spread most (rings are cut at their widest gaps), lets `bisect`
/// cut the ranks, and so on with both halves, level by level. Halves are equal but for
/// one slot, or one plane of a part that is a box (SplitOrder::even_cut). `slots` are as many as ranks. What is
/// outside of a part counts as if it were in the middle of its own part.
Assignment dual_bisection(const TrafficGraph& graph, const SlotHops& hops, const std::vector<Slot>& slots,
                          const Bisect& bisect);

/// Turns the order round if its other end is the better one to be lower, for the sake of other parts.
void orient(RanksToCut& part);

}  // namespace toroid::mapping
