#include "mapping/geometric/halving.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace toroid::mapping {
namespace {

/// A box of ranks. A turned axis is counted from its upper end.
struct Box {
  std::array<std::int32_t, most_axes> low{}, length{};
  std::bitset<most_axes> turned;
};

class Halving {
 public:
  Halving(const JobGrid& grid, const Points& points, const Cuts& cuts)
      : grid_(grid), points_(points), cuts_(cuts), order_(points), slot_of_(points.slots.size()) {}

  Assignment run() {
    Box all;
    std::copy(grid_.begin(), grid_.end(), all.length.begin());
    match(all, {}, 0, order_.size());
    return std::move(slot_of_);
  }

 private:
  using Turned = std::bitset<platforms::max_dimensions>;  ///< dimensions counted from their upper end

  /// Ranks of the box go to the points order_[begin .. end).
  void match(const Box& box, const Turned& turned, std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
      slot_of_[rank_at(box)] = points_.slots[order_[begin]];
      return;
    }
    const std::size_t axis = longest_axis(box);
    const std::int32_t first = (box.length[axis] + 1) / 2, second = box.length[axis] - first;
    const std::size_t middle =
        begin + (end - begin) / static_cast<std::size_t>(box.length[axis]) * static_cast<std::size_t>(first);
    Box lower = box, upper = box;
    lower.length[axis] = first;
    upper.length[axis] = second;
    (box.turned[axis] ? lower : upper).low[axis] += box.turned[axis] ? second : first;
    const std::size_t d = cuts_.dimension_of_axis.empty() ? order_.widest(begin, end) : cuts_.dimension_of_axis[axis];
    order_.split(d, turned[d], begin, middle, end);
    auto turned_above = turned;
    if (cuts_.fold) {
      turned_above.flip(d);
      upper.turned.flip(axis);
    }
    match(lower, turned, begin, middle);
    match(upper, turned_above, middle, end);
  }

  Rank rank_at(const Box& box) const {
    std::int32_t rank = 0;
    for (std::size_t axis = grid_.size(); axis-- > 0;) rank = rank * grid_[axis] + box.low[axis];
    return Rank(rank);
  }

  std::size_t longest_axis(const Box& box) const {
    return *std::max_element(cuts_.axes.begin(), cuts_.axes.end(),
                             [&](std::size_t a, std::size_t b) { return box.length[a] < box.length[b]; });
  }

  const JobGrid& grid_;
  const Points& points_;
  const Cuts& cuts_;
  SplitOrder order_;
  Assignment slot_of_;
};

}  // namespace

Assignment match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts) {
  return Halving(grid, points, cuts).run();
}

}  // namespace toroid::mapping
