#include "mapping/costs/distance.hpp"

#include <cstdlib>
#include <numeric>

namespace toroid::mapping {

std::int32_t classic_distance(std::span<const std::int32_t> hops) {
  return std::accumulate(hops.begin(), hops.end(), 0);
}

std::int32_t td_distance(std::span<const std::int32_t> hops) {
  std::int32_t sum = classic_distance(hops);
  for (std::size_t d = 0; d < hops.size(); ++d)
    for (std::size_t e = d + 1; e < hops.size(); ++e) sum += std::abs(hops[d] - hops[e]);
  return sum;
}

const core::Registry<Distance>& distances() {
  static const core::Registry<Distance> registry(
      "cost", {{"classic", "bytes times hops", classic_distance},
               {"td", "bytes times hops plus the differences of hops per dimension", td_distance}});
  return registry;
}

SlotDistances::SlotDistances(const Grid& grid, std::span<const NodeId> slots, Distance distance)
    : grid_(grid), distance_(distance), slots_(slots.size()) {
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    dimensions_.push_back(d);
    if (grid.dimension(d).wrap == platforms::Wrap::ring) symmetric_ = false;
  }
  for (const NodeId node : slots)
    for (const std::size_t d : dimensions_) coordinates_.push_back(grid.coordinate(node, d));
  if (slots_ > table_limit) return;
  std::vector<std::int32_t> table(slots_ * slots_);
  for (std::size_t from = 0; from < slots_; ++from)
    for (std::size_t to = 0; to < slots_; ++to) table[from * slots_ + to] = compute(from, to);
  table_ = std::move(table);
}

std::int32_t SlotDistances::compute(std::size_t from, std::size_t to) const {
  std::array<std::int32_t, Grid::max_dimensions> hops;
  const std::size_t n = dimensions_.size();
  for (std::size_t d = 0; d < n; ++d)
    hops[d] = std::abs(grid_.steps(dimensions_[d], coordinates_[from * n + d], coordinates_[to * n + d]));
  return distance_({hops.data(), n});
}

}  // namespace toroid::mapping
