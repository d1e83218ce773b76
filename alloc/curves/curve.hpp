#pragma once
// A curve through a machine, and the intervals of it that are free.

#include <algorithm>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/bits.hpp"

namespace toroid::alloc {

/// A machine as a line of units that are allocated whole: nodes, or blocks of them (pages).
using Units = std::vector<std::vector<NodeId>>;

/// Units from `first` to before `end`, all free.
struct Interval {
  std::size_t first = 0, end = 0;
};

/// Which units of a curve are free.
class Curve final : public FreeView {
 public:
  Curve(FreeNodes& free, const Units& units);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// The longest intervals of free units, in order: calls visit(interval) for each until it returns false.
  template <class Visit>
  void for_each_interval(Visit&& visit) const {
    for (std::size_t first = free_units_.next_set(0); first < free_units_.size();) {
      const Interval interval{first, free_units_.next_clear(first)};
      if (!visit(interval)) return;
      first = free_units_.next_set(interval.end);
    }
  }
  /// The first free unit from `unit` on; units() if there is none.
  std::size_t next_free(std::size_t unit) const { return free_units_.next_set(unit); }
  std::size_t units() const { return free_units_.size(); }
  /// In free units: fewer than all free nodes where some units are free in part.
  std::int32_t free_nodes() const { return free_nodes_; }

  std::int32_t nodes_in(const Interval& interval) const { return starts_[interval.end] - starts_[interval.first]; }
  /// The unit behind the last one of those from `first` on that it takes for `count` nodes, were they all free.
  std::size_t end_of(std::size_t first, std::int32_t count) const {
    const auto end = std::lower_bound(starts_.begin(), starts_.end(), starts_[first] + count);
    return static_cast<std::size_t>(end - starts_.begin());
  }
  /// The nodes of free units from `unit` on, as many units as it takes for `count` nodes. Contract: there are so many.
  Allocation nodes_from(std::size_t unit, std::int32_t count) const;

 private:
  void set_free(std::size_t unit, bool free);

  std::vector<NodeId> nodes_;                     ///< along the curve
  std::vector<std::int32_t> starts_;              ///< by unit, and one more: its first place in nodes_
  core::IdVector<NodeId, std::int32_t> unit_of_;  ///< -1 for those that never compute
  std::vector<std::int32_t> busy_;                ///< by unit: its nodes that are not free
  core::Bits free_units_;
  std::int32_t free_nodes_ = 0;
};

}  // namespace toroid::alloc
