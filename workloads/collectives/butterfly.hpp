#pragma once
// Butterflies: in each step every member has one partner, and all that step by step come together know of each other.
// Members are numbered along the axes of their grid, or in one ring. A port is a part of the data whose steps begin
// with an axis of its own; of two groups of as many ports as there are axes, the second is mirrored: it goes the other
// way round. The partner of a coordinate is
//
//   hypercube: 1, 2, 4, ... away, by one bit of the coordinate;
//
//   bine: 1, -1, 3, -5, 11, ... away, forward from even coordinates, backward from odd ones: fewer links in all, and
//   neighbours exchange what is longest. De Sensi and others, "Swing" (NSDI 2024, arXiv 2401.09356) and "Bine Trees"
//   (SC 2025, arXiv 2508.17311): their allreduces send the same messages, Bine adds trees.
//
// A ring of 8 by bine: 0 exchanges with 1, then 7, then 3; 1 with 0, 2, 6.
//
// Where a member hands over what is left in halves, or collects these, any even extent will do: bine's steps reach all
// of such a ring, some members twice, and nothing is sent to one that has it (Swing, section 3.2). Other extents that
// are no powers of two make one ring of all members, of which those beyond the largest number that will do are folded
// in: such a member hands its data to the one before it, and is told the result.

#include "workloads/collectives/collectives.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {

enum class ButterflyPattern : std::uint8_t {
  hypercube,
  bine,
  bine_halves  ///< bine on any even extent
};

/// The largest extent of up to so many members that a pattern can have.
inline CommRank fitting_extent(CommRank members, ButterflyPattern pattern) {
  return pattern == ButterflyPattern::bine_halves && members > 1 ? members - members % 2 : power_below(members);
}

struct ButterflyStep {
  std::size_t axis;
  CommRank distance;  ///< signed; see the pattern
};

class Butterfly {
 public:
  Butterfly(const CollectiveCall& call, ButterflyPattern pattern)
      : call_(call), pattern_(pattern), is_mirrored_(call.lane / axes_of(call, pattern) % 2 == 1) {
    rings_ = goes_along_axes(call, pattern) ? call.grid->extents() : std::vector{call.size};
    for (const auto members : rings_) core_ *= extents_.emplace_back(fitting_extent(members, pattern));
    const auto root = has_root(call.kind) ? place_of(call.root) : 0;
    for (std::size_t axis = 0; axis < rings_.size(); ++axis) starts_.push_back(coordinate(root, axis));
    const auto first = static_cast<std::size_t>(call.lane) % rings_.size();
    CommRank bine = 1;
    for (CommRank bit = 1; bit < core_; bit *= 2, bine = 1 - 2 * bine)
      for (std::size_t turn = 0; turn < rings_.size(); ++turn) {
        const auto axis = (first + turn) % rings_.size();
        if (bit < extents_[axis]) steps_.push_back({axis, pattern == ButterflyPattern::hypercube ? bit : bine});
      }
  }

  std::size_t steps() const { return steps_.size(); }
  /// How many members are partners of each other, the first numbers; the others are folded in.
  CommRank core() const { return core_; }

  /// The calling member's number.
  CommRank me() const { return number(call_.me); }
  /// Numbers count from the root of the call, or from the first member.
  CommRank member(CommRank number) const {
    const auto extra = call_.size - core_;
    const auto from_root = number >= core_ ? 2 * (number - core_) + 1 : number < extra ? 2 * number : number + extra;
    CommRank place = 0;
    for (std::size_t axis = 0; axis < rings_.size(); ++axis)
      place += (coordinate(from_root, axis) + starts_[axis]) % rings_[axis] * stride(axis);
    return call_.grid == nullptr ? place : call_.grid->member(place);
  }
  CommRank number(CommRank member) const {
    const auto place = place_of(member), extra = call_.size - core_;
    CommRank from_root = 0;
    for (std::size_t axis = 0; axis < rings_.size(); ++axis)
      from_root += around(coordinate(place, axis), -starts_[axis], rings_[axis]) * stride(axis);
    if (from_root >= 2 * extra) return from_root - extra;
    return from_root % 2 == 0 ? from_root / 2 : core_ + from_root / 2;
  }

  CommRank partner(CommRank number, std::size_t step) const {
    const auto [axis, distance] = steps_[step];
    const auto at = coordinate(number, axis), extent = extents_[axis];
    auto to = at ^ distance;
    if (pattern_ != ButterflyPattern::hypercube)
      to = around(at, (at % 2 == 1) == is_mirrored_ ? distance : -distance, extent);
    return number + (to - at) * stride(axis);
  }

  /// The numbers that come together with `number` from a step on, and itself, ascending.
  std::vector<CommRank> together(CommRank number, std::size_t first) const {
    std::vector<CommRank> all{number};
    for (auto step = first; step < steps_.size(); ++step) {
      for (std::size_t i = 0, known = all.size(); i < known; ++i) all.push_back(partner(all[i], step));
      std::ranges::sort(all);
      all.erase(std::ranges::unique(all).begin(), all.end());
    }
    return all;
  }
  /// Whether no member is met twice.
  bool doubles() const { return power_below(core_) == core_; }

  /// The member that is folded into the one of that number, or no_process.
  CommRank folded_into(CommRank number) const {
    return number + core_ < call_.size ? member(number + core_) : no_process;
  }

  static CommRank axes_of(const CollectiveCall& call, ButterflyPattern pattern) {
    return goes_along_axes(call, pattern) ? static_cast<CommRank>(call.grid->axes()) : 1;
  }

 private:
  static bool goes_along_axes(const CollectiveCall& call, ButterflyPattern pattern) {
    return call.grid != nullptr && call.grid->axes() > 1 &&
           std::ranges::all_of(call.grid->extents(), [&](CommRank all) { return fitting_extent(all, pattern) == all; });
  }

  CommRank stride(std::size_t axis) const {
    CommRank stride = 1;
    for (std::size_t before = 0; before < axis; ++before) stride *= rings_[before];
    return stride;
  }
  CommRank coordinate(CommRank number, std::size_t axis) const { return number / stride(axis) % rings_[axis]; }
  CommRank place_of(CommRank member) const { return call_.grid == nullptr ? member : call_.grid->place(member); }

  CollectiveCall call_;
  ButterflyPattern pattern_;
  bool is_mirrored_;
  std::vector<CommRank> rings_;    ///< members along each axis, or one ring of all
  std::vector<CommRank> extents_;  ///< without the members that are folded into others
  std::vector<CommRank> starts_;   ///< the root's coordinates
  CommRank core_ = 1;
  std::vector<ButterflyStep> steps_;
};

}  // namespace toroid::workloads
