#include "mapping/geometric/halving.hpp"

#include <algorithm>
#include <numeric>

namespace toroid::mapping {

Points::Points(const SlotHops& hops, std::vector<std::int32_t> of_slots)
    : dimensions(hops.dimensions()), slots(std::move(of_slots)) {
  for (std::size_t d = 0; d < dimensions; ++d) extents.push_back(hops.dimension(d).extent);
  for (const auto slot : slots)
    for (std::size_t d = 0; d < dimensions; ++d)
      coordinates.push_back(hops.coordinate(static_cast<std::size_t>(slot), d));
}

namespace {

/// A box of ranks. A turned axis is counted from its upper end.
struct Box {
  std::vector<std::int32_t> low, length;
  std::vector<bool> turned;
};

class Halving {
 public:
  Halving(const JobGrid& grid, const Points& points, const Cuts& cuts)
      : grid_(grid), points_(points), cuts_(cuts), order_(points.slots.size()), slot_of_(points.slots.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  SlotOf run() {
    const Box all{JobGrid(grid_.size(), 0), grid_, std::vector<bool>(grid_.size(), false)};
    match(all, std::vector<bool>(points_.dimensions, false), 0, order_.size());
    return std::move(slot_of_);
  }

 private:
  /// Ranks of the box go to the points order_[begin .. end).
  void match(const Box& box, const std::vector<bool>& turned, std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
      slot_of_[rank_at(box.low)] = points_.slots[order_[begin]];
      return;
    }
    const std::size_t axis = longest_axis(box);
    const std::int32_t first = (box.length[axis] + 1) / 2, second = box.length[axis] - first;
    Box lower = box, upper = box;
    lower.length[axis] = first;
    upper.length[axis] = second;
    (box.turned[axis] ? lower : upper).low[axis] += box.turned[axis] ? second : first;
    auto turned_above = turned;
    const std::size_t middle =
        begin + (end - begin) / static_cast<std::size_t>(box.length[axis]) * static_cast<std::size_t>(first);
    if (points_.dimensions > 0) {
      const std::size_t d = dimension_for(axis, begin, end);
      split(d, turned[d], begin, middle, end);
      if (cuts_.fold) turned_above[d] = !turned[d];
    }
    if (cuts_.fold) upper.turned[axis] = !box.turned[axis];
    match(lower, turned, begin, middle);
    match(upper, turned_above, middle, end);
  }

  std::size_t rank_at(const std::vector<std::int32_t>& place) const {
    std::size_t rank = 0;
    for (std::size_t axis = grid_.size(); axis-- > 0;)
      rank = rank * static_cast<std::size_t>(grid_[axis]) + static_cast<std::size_t>(place[axis]);
    return rank;
  }

  std::size_t longest_axis(const Box& box) const {
    return *std::max_element(cuts_.axes.begin(), cuts_.axes.end(),
                             [&](std::size_t a, std::size_t b) { return box.length[a] < box.length[b]; });
  }

  std::size_t dimension_for(std::size_t axis, std::size_t begin, std::size_t end) const {
    if (!cuts_.dimension_of_axis.empty()) return cuts_.dimension_of_axis[axis];
    std::size_t widest = 0;
    std::int32_t most = -1;
    for (std::size_t d = 0; d < points_.dimensions; ++d) {
      std::int32_t low = points_.coordinate(order_[begin], d), high = low;
      for (std::size_t i = begin + 1; i < end; ++i) {
        low = std::min(low, points_.coordinate(order_[i], d));
        high = std::max(high, points_.coordinate(order_[i], d));
      }
      if (high - low <= most) continue;
      most = high - low;
      widest = d;
    }
    return widest;
  }

  /// Brings the points that are lower in dimension d to the front; among equals those that are lower in the other
  /// dimensions, x first, then those that come first in the list.
  void split(std::size_t d, bool turned, std::size_t begin, std::size_t middle, std::size_t end) {
    keys_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t c = points_.coordinate(order_[i], d);
      std::uint64_t key = static_cast<std::uint64_t>(turned ? points_.extents[d] - 1 - c : c);
      for (std::size_t e = 0; e < points_.dimensions; ++e)
        if (e != d)
          key = key * static_cast<std::uint64_t>(points_.extents[e]) +
                static_cast<std::uint64_t>(points_.coordinate(order_[i], e));
      keys_.push_back(key << 32U | order_[i]);  // grids have fewer than 2^31 routers
    }
    std::nth_element(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(middle - begin), keys_.end());
    for (std::size_t i = begin; i < end; ++i) order_[i] = static_cast<std::uint32_t>(keys_[i - begin]);
  }

  const JobGrid& grid_;
  const Points& points_;
  const Cuts& cuts_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint64_t> keys_;
  SlotOf slot_of_;
};

}  // namespace

SlotOf match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts) {
  return Halving(grid, points, cuts).run();
}

}  // namespace toroid::mapping
