#include "mapping/bisection/dual_bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace toroid::mapping {

SlotTree::SlotTree(const SlotHops& hops, std::vector<Slot> slots, HopWeights weights, bool opens_rings,
                   core::Random& random)
    : points_(hops, std::move(slots)), weights_(std::move(weights)), preference_(points_.dimensions), order_(points_) {
  count_rings_from_gaps(hops, random);
  using platforms::Wrap;
  for (std::size_t d = 0; d < points_.dimensions; ++d) {
    const auto wrap = hops.dimension(d).wrap;
    ways_.push_back(wrap == Wrap::ring ? Way::one_way : (wrap == Wrap::torus && !opens_rings ? Way::ring : Way::line));
  }
  std::iota(preference_.begin(), preference_.end(), 0U);
  random.shuffle(preference_);
  parts_.push_back({0, points_.slots.size(), {}});
  const auto box = box_of(parts_.front());
  for (std::size_t d = 0; d < points_.dimensions; ++d) whole_.push_back(box.high[d] - box.low[d]);
  parts_.front().middle = middle_of(parts_.front(), box);
  for (std::size_t begin = 0; begin < parts_.size();) {
    levels_.push_back(begin);
    const std::size_t end = parts_.size();
    for (; begin < end; ++begin) cut(begin);
  }
  levels_.push_back(parts_.size());
}

/// A ring with a gap is cut there; one without, anywhere.
void SlotTree::count_rings_from_gaps(const SlotHops& hops, core::Random& random) {
  cut_at_gaps(points_, hops);
  for (std::size_t d = 0; d < points_.dimensions; ++d) {
    const std::int32_t extent = points_.extents[d];
    const auto shift = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(extent)));
    if (hops.dimension(d).wrap == platforms::Wrap::mesh) continue;
    std::vector<bool> used(static_cast<std::size_t>(extent));
    for (std::size_t i = 0; i < points_.slots.size(); ++i)
      used[static_cast<std::size_t>(points_.coordinate(i, d))] = true;
    if (std::find(used.begin(), used.end(), false) != used.end()) continue;
    for (std::size_t i = 0; i < points_.slots.size(); ++i) {
      auto& c = points_.coordinates[i * points_.dimensions + d];
      c = (c + shift) % extent;
    }
  }
}

SlotTree::Box SlotTree::box_of(const SlotPart& part) const {
  Box box{points_.extents, std::vector<std::int32_t>(points_.dimensions, 0)};
  for (std::size_t i = part.begin; i < part.end; ++i)
    for (std::size_t d = 0; d < points_.dimensions; ++d) {
      const std::int32_t c = points_.coordinate(order_[i], d);
      box.low[d] = std::min(box.low[d], c);
      box.high[d] = std::max(box.high[d], c);
    }
  return box;
}

/// Along a ring that is not cut yet there is no middle: all such parts have the same one.
Middle SlotTree::middle_of(const SlotPart& part, const Box& box) const {
  Middle middle(points_.dimensions, 0);
  for (std::size_t i = part.begin; i < part.end; ++i)
    for (std::size_t d = 0; d < middle.size(); ++d) middle[d] += points_.coordinate(order_[i], d);
  for (std::size_t d = 0; d < middle.size(); ++d) {
    middle[d] /= std::max(1, part.size());
    if (ways_[d] != Way::line && box.high[d] - box.low[d] == whole_[d]) middle[d] = (box.high[d] + box.low[d]) / 2.0;
  }
  return middle;
}

double SlotTree::distance(std::size_t from, std::size_t to) const {
  const auto &a = parts_[from].middle, &b = parts_[to].middle;
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double straight = b[d] - a[d], extent = points_.extents[d];
    double hops = std::abs(straight);
    if (ways_[d] == Way::ring) hops = std::min(hops, extent - hops);
    if (ways_[d] == Way::one_way && straight < 0) hops = extent - hops;
    sum += weights_[d] * hops;
  }
  return sum;
}

/// A ring of 4 that is not cut yet is shorter than a line of 4; slots side by side on a one-way ring are a whole ring
/// apart one way or the other.
std::int32_t SlotTree::most_hops(const Box& box, std::size_t d) const {
  const std::int32_t straight = box.high[d] - box.low[d];
  if (ways_[d] == Way::ring) return std::min(straight, points_.extents[d] / 2);
  if (ways_[d] == Way::one_way && straight > 0) return points_.extents[d] - 1;
  return straight;
}

void SlotTree::cut(std::size_t index) {
  const auto part = parts_[index];
  if (part.size() < 2) return;
  const auto box = box_of(part);
  const auto length = [&](std::size_t d) { return weights_[d] * most_hops(box, d); };
  std::size_t longest = points_.dimensions;
  for (const std::size_t d : preference_)
    if (longest == points_.dimensions || length(d) > length(longest) * (1 + 1e-9)) longest = d;
  if (longest == points_.dimensions || length(longest) == 0) return;
  const std::size_t middle = plane_near_middle(longest, part);
  order_.split(longest, false, part.begin, middle, part.end);
  parts_[index].lower = static_cast<std::int32_t>(parts_.size());
  parts_[index].upper = parts_[index].lower + 1;
  for (const auto& [begin, end] : {std::pair(part.begin, middle), std::pair(middle, part.end)}) {
    SlotPart half{begin, end, {}};
    half.middle = middle_of(half, box_of(half));
    parts_.push_back(std::move(half));
  }
}

/// Between two planes, if the parts are then no more uneven than by a sixth of the whole either way; else in the
/// middle.
std::size_t SlotTree::plane_near_middle(std::size_t d, const SlotPart& part) const {
  const auto size = static_cast<std::int64_t>(part.end - part.begin);
  std::vector<std::int64_t> on_plane(static_cast<std::size_t>(points_.extents[d]), 0);
  for (std::size_t i = part.begin; i < part.end; ++i)
    ++on_plane[static_cast<std::size_t>(points_.coordinate(order_[i], d))];
  std::int64_t below = 0, best = 0;
  for (const std::int64_t plane : on_plane) {
    below += plane;
    if (std::abs(2 * below - size) < std::abs(2 * best - size)) best = below;
  }
  if (std::abs(2 * best - size) > size / 3) best = (size + 1) / 2;
  return part.begin + static_cast<std::size_t>(best);
}

}  // namespace toroid::mapping
