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

SlotDistances::SlotDistances(const Machine& machine, std::span<const NodeId> slots, Distance distance)
    : machine_(machine), distance_(distance), slots_(slots.begin(), slots.end()) {
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (machine.grid().dimension(d).extent > 1) dimensions_.push_back(d);
  const std::size_t n = slots_.size();
  if (n > table_limit) return;
  std::vector<std::int32_t> table(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) table[from * n + to] = compute(from, to);
  table_ = std::move(table);
}

std::int32_t SlotDistances::compute(std::size_t from, std::size_t to) const {
  const auto all = machine_.hops_per_dimension(slots_[from], slots_[to]);
  platforms::Coordinates hops;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) hops[i] = all[dimensions_[i]];
  return distance_({hops.data(), dimensions_.size()});
}

}  // namespace toroid::mapping
