#pragma once
// Slots as points in space, and orders of them that are cut into parts.

#include <cstdint>
#include <vector>

#include "mapping/problem/slot_hops.hpp"

namespace toroid::mapping {

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

}  // namespace toroid::mapping
