#pragma once
// Ranks and slots cut in two together, level by level (Pellegrini 1994).

#include "core/random.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// What a hop along each dimension costs, 1 or more; the cheapest dimension has 1.
using HopWeights = std::vector<double>;

/// The middle of some slots.
using Middle = std::vector<double>;

/// A part of the slots. It is cut unless all its slots are on one router.
struct SlotPart {
  std::size_t begin, end;  ///< the part's range in SlotTree::order
  Middle middle;
  std::size_t lower = 0, upper = 0;  ///< its halves, as indices of parts; 0, which is the whole, if it is not cut

  std::int32_t size() const { return static_cast<std::int32_t>(end - begin); }
  bool is_cut() const { return lower > 0; }
};

/// Parts are cut across the dimension along which two of their slots are farthest apart, hops weighted; on ties all
/// across the same one, drawn for the tree, as parts that are cut alike fit together. A cut goes between two planes of
/// routers if one is near enough to the middle. Rings are counted from their widest gap, or from a coordinate that is
/// drawn.
class SlotTree {
 public:
  /// With `opens_rings` distances do not go over the ends of the rings, as suits traffic that does not either. One-way
  /// rings are never opened.
  SlotTree(const SlotHops& hops, std::vector<Slot> slots, HopWeights weights, bool opens_rings, core::Random& random);

  const std::vector<SlotPart>& parts() const { return parts_; }
  /// The parts of level i are those from levels()[i] to levels()[i + 1]; level 0 is the whole.
  const std::vector<std::size_t>& levels() const { return levels_; }
  Slot slot(std::size_t i) const { return points_.slots[order_[i]]; }

  /// The weighted hops from one part's middle to another's.
  double distance(std::size_t from, std::size_t to) const;

 private:
  enum class Way : std::uint8_t { line, ring, one_way };
  struct Box {
    std::vector<std::int32_t> low, high;
  };

  void count_rings_from_gaps(const SlotHops& hops, core::Random& random);
  Box box_of(const SlotPart& part) const;
  /// The hops between the two slots of a box that are farthest apart along dimension d.
  std::int32_t most_hops(const Box& box, std::size_t d) const;
  Middle middle_of(const SlotPart& part, const Box& box) const;
  void cut(std::size_t part);
  std::size_t plane_near_middle(std::size_t d, const SlotPart& part) const;

  Points points_;
  HopWeights weights_;
  std::vector<Way> ways_;
  std::vector<std::size_t> preference_;  ///< the order of the dimensions on ties
  std::vector<std::int32_t> whole_;      ///< length of each dimension in all slots
  SplitOrder order_;
  std::vector<SlotPart> parts_;
  std::vector<std::size_t> levels_;
};

/// Returns the slot of each rank. The tree has at least as many slots as there are ranks; which of them stay empty
/// follows from the cuts. A cut of a part counts what its ranks exchange with those of other parts as if these were in
/// the middle of theirs. Parts of a level are cut in an order in which each has much to do with those before it, and
/// then once more when all are. The first levels, which decide most, are cut in two ways each, and the search goes on
/// from the better.
Assignment dual_bisection(const TrafficGraph& traffic, const SlotTree& tree, core::Random& random);

}  // namespace toroid::mapping
