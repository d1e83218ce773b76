#include "mapping/problem/traffic_graph.hpp"

#include <numeric>

namespace toroid::mapping {

using platforms::Wrap;

SlotHops::SlotHops(const platforms::Machine& machine, std::span<const platforms::NodeId> slots)
    : machine_(machine),
      nodes_(std::vector(slots.begin(), slots.end())),
      symmetric_(machine.symmetric()),
      separable_(machine.separable()) {
  const auto& grid = machine.grid();
  std::vector<std::size_t> used;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto& dimension = grid.dimension(d);
    if (dimension.extent < 2) continue;
    used.push_back(d);
    dimensions_.push_back(dimension);
    // Ids of links are below 2^31 and there are two for each router and dimension: twice an extent fits.
    period_.push_back(dimension.wrap == Wrap::mesh ? 2 * (dimension.extent - 1) : dimension.extent);
  }
  coordinates_.reserve(slots.size() * used.size());
  for (const auto node : slots)
    for (const auto d : used) coordinates_.push_back(grid.coordinate(machine.router(node), d));
  by_dimension_.reserve(coordinates_.size());
  for (std::size_t d = 0; d < used.size(); ++d)
    for (const Slot slot : nodes_.ids()) by_dimension_.push_back(coordinate(slot, d));
  TOROID_ASSERT(by_dimension_.size() == coordinates_.size() && coordinates_.size() == slots.size() * used.size());
}

void SlotHops::from(Slot slot, core::IdVector<Slot, std::int32_t>& hops) const {
  TOROID_ASSERT(symmetric());
  hops.assign(size(), 0);
  if (!separable_) {
    for (const Slot to : slots()) hops[to] = (*this)(slot, to);
    return;
  }
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int32_t* all = by_dimension_.data() + d * size();
    const std::int32_t here = coordinate(slot, d), period = period_[d];
    std::int32_t* sum = hops.elements().data();
    for (std::size_t to = 0; to < size(); ++to) {
      const std::int32_t steps = std::abs(all[to] - here);
      sum[to] += std::min(steps, period - steps);
    }
  }
  TOROID_ASSERT_HEAVY(std::ranges::all_of(slots(), [&](Slot to) { return hops[to] == (*this)(slot, to); }));
}

namespace {

/// Hops to each slot and back.
core::IdVector<Slot, std::int32_t> there_and_back(const SlotHops& hops, Slot from) {
  core::IdVector<Slot, std::int32_t> away;
  for (const Slot slot : hops.slots()) away.add(hops(from, slot) + hops(slot, from));
  return away;
}

std::int64_t sum_of_least(std::vector<std::int32_t> numbers, std::int32_t count) {
  TOROID_ASSERT(count >= 0 && std::cmp_less_equal(count, numbers.size()));
  const auto end = numbers.begin() + count;
  std::nth_element(numbers.begin(), end, numbers.end());
  return std::accumulate(numbers.begin(), end, std::int64_t{0});
}

}  // namespace

Slot central_slot(const SlotHops& hops, std::int32_t count) {
  constexpr std::size_t most_candidates = 64;
  const std::size_t candidates = std::min(hops.size(), most_candidates);
  Slot central = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < candidates; ++i) {
    const Slot candidate(i * hops.size() / candidates);
    const std::int64_t sum = sum_of_least(there_and_back(hops, candidate).elements(), count);
    if (sum >= least) continue;
    least = sum;
    central = candidate;
  }
  return central;
}

std::vector<Slot> compact_slots(const SlotHops& hops, std::int32_t count) {
  TOROID_ASSERT(count >= 0);
  std::vector<Slot> chosen(hops.slots().begin(), hops.slots().end());
  if (std::cmp_greater_equal(count, hops.size())) return chosen;
  const auto away = there_and_back(hops, central_slot(hops, count));
  std::ranges::stable_sort(chosen, [&](Slot a, Slot b) { return away[a] < away[b]; });
  chosen.erase(chosen.begin() + count, chosen.end());
  std::ranges::sort(chosen);
  TOROID_ASSERT(std::cmp_equal(chosen.size(), count));
  return chosen;
}

Points::Points(const SlotHops& hops, std::vector<Slot> of_slots)
    : dimensions(hops.dimensions()), slots(std::move(of_slots)) {
  for (std::size_t d = 0; d < dimensions; ++d) extents.push_back(hops.dimension(d).extent);
  for (const Slot slot : slots)
    for (std::size_t d = 0; d < dimensions; ++d) coordinates.push_back(hops.coordinate(slot, d));
}

void cut_at_gaps(Points& points, const SlotHops& hops) {
  for (std::size_t d = 0; d < points.dimensions; ++d) {
    if (hops.dimension(d).wrap == platforms::Wrap::mesh) continue;
    std::vector<std::int32_t> used;
    for (std::size_t i = 0; i < points.slots.size(); ++i) used.push_back(points.coordinate(i, d));
    std::ranges::sort(used);
    const std::int32_t extent = points.extents[d];
    std::int32_t start = used.front(), widest = used.front() + extent - used.back();
    for (std::size_t i = 1; i < used.size(); ++i)
      if (used[i] - used[i - 1] > widest) {
        widest = used[i] - used[i - 1];
        start = used[i];
      }
    for (std::size_t i = 0; i < points.slots.size(); ++i) {
      auto& c = points.coordinates[i * points.dimensions + d];
      c = (c - start + extent) % extent;
      TOROID_ASSERT_HEAVY(c >= 0 && c < extent);
    }
  }
}

std::vector<std::size_t> longest_first(const std::vector<std::int32_t>& lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

std::vector<std::size_t> dimensions_by_spread(const Points& points) {
  std::vector<std::int32_t> sides;
  for (std::size_t d = 0; d < points.dimensions; ++d) {
    std::int32_t low = points.extents[d], high = 0;
    for (std::size_t i = 0; i < points.slots.size(); ++i) {
      low = std::min(low, points.coordinate(i, d));
      high = std::max(high, points.coordinate(i, d));
    }
    sides.push_back(high - low + 1);
  }
  return longest_first(sides);
}

SplitOrder::SplitOrder(const Points& points) : points_(points), order_(points.slots.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
}

std::size_t SplitOrder::widest(std::size_t begin, std::size_t end) const {
  TOROID_ASSERT(begin < end && end <= order_.size());
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

void SplitOrder::split(std::size_t d, bool turned, std::size_t begin, std::size_t middle, std::size_t end) {
  TOROID_ASSERT(begin <= middle && middle < end && end <= order_.size());
  if (points_.dimensions == 0) return;
  keys_.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t point = order_[i];
    const std::int32_t c = points_.coordinate(point, d);
    auto key = static_cast<std::uint64_t>(turned ? points_.extents[d] - 1 - c : c);
    for (std::size_t e = 0; e < points_.dimensions; ++e)
      if (e != d)
        key = key * static_cast<std::uint64_t>(points_.extents[e]) +
              static_cast<std::uint64_t>(points_.coordinate(point, e));
    keys_.push_back(key << 32U | point);  // grids have fewer than 2^31 routers
  }
  std::nth_element(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(middle - begin), keys_.end());
  for (std::size_t i = begin; i < end; ++i) order_[i] = static_cast<std::uint32_t>(keys_[i - begin]);
}

}  // namespace toroid::mapping
