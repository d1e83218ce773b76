#pragma once
// The traffic of a job as a graph: ranks that exchange bytes are neighbours.

#include "mapping/problem/assignment.hpp"

namespace toroid::mapping {

// Where the slots of a job are on the grid of routers: how far apart they are, and orders of them that are cut into
// parts.

/// Coordinates of the routers of the slots, and hops counted from them as they are asked for: nothing is kept for pairs
/// of slots, and no cost is known (for that see SlotCosts). Dimensions of extent 1 are left out, so there may be none;
/// they are numbered from 0.
class SlotHops {
 public:
  /// Every slot is a node of `machine`, which must outlive this object; a node may stand several times.
  SlotHops(const platforms::Machine& machine, std::span<const platforms::NodeId> slots);

  std::size_t size() const { return nodes_.size(); }
  core::IdRange<Slot> slots() const { return nodes_.ids(); }
  std::size_t dimensions() const { return dimensions_.size(); }
  const platforms::Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  std::int32_t coordinate(Slot slot, std::size_t d) const { return of(slot)[d]; }
  /// Whether routes are as long one way as the other.
  bool symmetric() const { return symmetric_; }

  /// The hops of the route, as Machine::hops gives them, in O(dimensions) on a separable machine.
  std::int32_t operator()(Slot from, Slot to) const {
    if (!separable_) return machine_.hops(nodes_[from], nodes_[to]);
    const std::int32_t *a = of(from), *b = of(to);
    std::int32_t sum = 0;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      const std::int32_t straight = b[d] - a[d];
      const std::int32_t steps = straight < 0 ? -straight : straight;
      sum += one_way(d) ? (straight < 0 ? period_[d] - steps : steps) : std::min(steps, period_[d] - steps);
    }
    return sum;
  }

  /// The hops from one slot to every slot, where routes are as long both ways. On a separable machine this is much
  /// faster than to ask for one after the other.
  void from(Slot slot, core::IdVector<Slot, std::int32_t>& hops) const;

 private:
  const std::int32_t* of(Slot slot) const { return coordinates_.data() + slot.index() * dimensions(); }
  bool one_way(std::size_t d) const { return !symmetric_ && dimensions_[d].wrap == platforms::Wrap::ring; }

  const platforms::Machine& machine_;
  core::IdVector<Slot, platforms::NodeId> nodes_;
  bool symmetric_, separable_;
  std::vector<platforms::Dimension> dimensions_;
  /// The length after which a dimension repeats itself; in a mesh, so long that it never does.
  std::vector<std::int32_t> period_;
  std::vector<std::int32_t> coordinates_;   ///< all coordinates of the first slot, then those of the next
  std::vector<std::int32_t> by_dimension_;  ///< the same numbers: all of the first dimension, then of the next
};

/// A slot in the middle of others: of up to 64 slots spread over the list, the one whose `count` nearest slots (or all,
/// if there are fewer) are the least hops away in sum, there and back. Ties go to the lower index.
Slot central_slot(const SlotHops& hops, std::int32_t count);

/// The `count` slots that are nearest to the central_slot, in ascending order. Ties go to the lower index.
std::vector<Slot> compact_slots(const SlotHops& hops, std::int32_t count);

/// Positions of the slots that are to be matched, one for each rank.
struct Points {
  std::size_t dimensions;
  std::vector<std::int32_t> extents;      ///< extents of the dimensions; coordinates are from 0 to extent - 1
  std::vector<std::int32_t> coordinates;  ///< all coordinates of the first slot, then those of the next
  std::vector<Slot> slots;                ///< the slot that the i-th point is

  /// The points of `slots` where these are on the machine.
  Points(const SlotHops& hops, std::vector<Slot> of_slots);

  std::int32_t coordinate(std::size_t i, std::size_t d) const { return coordinates[i * dimensions + d]; }
};

/// Counts the coordinates of every wrapped dimension from behind its widest gap, so that the cut of the ring falls
/// where no slots are. Of several widest gaps it takes the one before the lowest coordinate.
void cut_at_gaps(Points& points, const SlotHops& hops);

/// The indices 0, 1, ... of `lengths` by falling length; equal ones stay in their order.
std::vector<std::size_t> longest_first(const std::vector<std::int32_t>& lengths);

/// The dimensions by falling length of the box that bounds the points.
std::vector<std::size_t> dimensions_by_spread(const Points& points);

/// An order of points that is cut into parts, which are cut again.
class SplitOrder {
 public:
  explicit SplitOrder(const Points& points);

  /// The i-th point of the order.
  std::size_t operator[](std::size_t i) const { return order_[i]; }
  std::size_t size() const { return order_.size(); }

  /// The dimension in which the part spreads most, the first if there are several. It is 0 if there are no dimensions.
  std::size_t widest(std::size_t begin, std::size_t end) const;

  /// Brings the points of the part that are lower in dimension d, or higher if `turned`, to its front, before `middle`;
  /// among equals those that are lower in the other dimensions, x first, then those that come first in the list.
  void split(std::size_t d, bool turned, std::size_t begin, std::size_t middle, std::size_t end);

 private:
  const Points& points_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> keys_;
};

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
