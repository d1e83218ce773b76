#pragma once
// A curve through a machine, the intervals of it that are free, and where on the curve a job goes.

#include "core/bits.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

/// A machine as a line of units that are allocated whole: nodes, or blocks of them (pages).
using Units = std::vector<std::vector<NodeId>>;

/// Free units from `first` to the one before `end`.
struct Interval {
  std::size_t first = 0, end = 0;
};

/// A curve and its free units.
class Curve final : public FreeView {
 public:
  Curve(FreeNodes& free, const Units& units);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Calls visit(interval) for each longest interval of free units, in order, until it returns false.
  template <class Visit>
  void for_each_interval(Visit&& visit) const {
    for (std::size_t first = next_free(0); first < units();) {
      const Interval interval{first, core::next_set(busy_units_, first)};
      if (!visit(interval)) return;
      first = next_free(interval.end);
    }
  }
  /// The first free unit from `unit` on; units() if there is none.
  std::size_t next_free(std::size_t unit) const { return core::next_set(free_units_, unit); }
  std::size_t units() const { return free_units_.size(); }
  /// The number of nodes in free units. Free nodes of units that are free only in part do not count.
  std::int32_t free_nodes() const { return free_nodes_; }

  std::int32_t nodes_in(const Interval& interval) const { return starts_[interval.end] - starts_[interval.first]; }
  /// The end of the units from `first` on that have `count` nodes, free or not: the unit after the last of them.
  std::size_t end_of(std::size_t first, std::int32_t count) const {
    const auto end = std::ranges::lower_bound(starts_, starts_[first] + count);
    return static_cast<std::size_t>(end - starts_.begin());
  }
  /// The nodes of the first free units from `unit` on that together have `count` nodes or more. Contract: there are so
  /// many.
  Allocation nodes_from(std::size_t unit, std::int32_t count) const;

 private:
  void set_free(std::size_t unit, bool free);

  std::vector<NodeId> nodes_;         ///< all nodes, along the curve
  std::vector<std::int32_t> starts_;  ///< the first place of each unit in nodes_; the last element is the end
  core::IdVector<NodeId, std::int32_t> unit_of_;     ///< -1 for nodes that do not compute
  std::vector<std::int32_t> busy_;                   ///< the number of nodes of each unit that are not free
  boost::dynamic_bitset<> free_units_, busy_units_;  ///< each unit is in one
  std::int32_t free_nodes_ = 0;
};

/// Where on a curve a job goes: the strategies of bin packing, with each interval of free units as a bin (Leung et al.
/// 2002; Walker, Bunde, Leung 2010, Section II).
///
/// Finds the unit from which on a job gets as many free units as it needs for its nodes; nothing if no interval is
/// large enough.
using Fit = std::optional<std::size_t> (*)(const Curve& curve, std::int32_t nodes);

/// The first free unit, even if there are busy units between it and the last unit of the job.
std::optional<std::size_t> free_list(const Curve& curve, std::int32_t nodes);
/// The first interval that is large enough.
std::optional<std::size_t> first_fit(const Curve& curve, std::int32_t nodes);
/// The smallest interval that is large enough, the first of several.
std::optional<std::size_t> best_fit(const Curve& curve, std::int32_t nodes);
/// The interval that leaves the least sum, over all lengths, of the squared number of intervals of that length (Csirik
/// et al. 2006), the first of several.
std::optional<std::size_t> sum_of_squares(const Curve& curve, std::int32_t nodes);

/// The start of the window with enough free nodes whose first and last unit are closest to each other, the first of
/// several: for jobs for which no interval is large enough. There must be enough free nodes.
std::size_t least_span(const Curve& curve, std::int32_t nodes);

using Extents = std::vector<std::int32_t>;
/// All places of a box in the order of a curve; places are numbered as routers are, x fastest.
using Order = std::vector<std::int32_t>;
/// The dimensions in the order in which a curve runs along them, each once.
using Axes = std::vector<std::size_t>;

/// The order line after line, all in the same direction.
Order row_order(const Extents& extents, const Axes& axes);
/// The order line after line, back and forth: each place is next to the one before.
Order snake_order(const Extents& extents, const Axes& axes);
/// The order of Hilbert's curve, which begins at the origin and ends at the other end of the last axis. If the shortest
/// extent is a power of two and divides the others, the box consists of cubes, whose curves follow each other (spliced:
/// Walker, Bunde, Leung 2010, Figure 5). Otherwise the curve goes through the cube around the box, and places outside
/// the box are left out.
Order hilbert_order(const Extents& extents, const Axes& axes);
/// The order of Hilbert's curve through a cube that is stretched to the box, as in the library Zoltan (Figure 6 of the
/// same paper).
Order zoltan_order(const Extents& extents, const Axes& axes);

}  // namespace toroid::alloc
