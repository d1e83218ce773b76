#include "mapping/problem/slot_hops.hpp"

#include <cstdlib>
#include <limits>
#include <numeric>

namespace toroid::mapping {

using platforms::Wrap;

SlotHops::SlotHops(const platforms::Machine& machine, std::span<const platforms::NodeId> slots)
    : machine_(machine),
      nodes_(slots.begin(), slots.end()),
      size_(slots.size()),
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
    for (std::size_t slot = 0; slot < size_; ++slot) by_dimension_.push_back(coordinate(slot, d));
}

void SlotHops::from(std::size_t slot, std::vector<std::int32_t>& hops) const {
  hops.assign(size_, 0);
  if (!separable_) {
    for (std::size_t to = 0; to < size_; ++to) hops[to] = (*this)(slot, to);
    return;
  }
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int32_t* of = by_dimension_.data() + d * size_;
    const std::int32_t here = of[slot], period = period_[d];
    std::int32_t* sum = hops.data();
    for (std::size_t to = 0; to < size_; ++to) {
      const std::int32_t steps = std::abs(of[to] - here);
      sum[to] += std::min(steps, period - steps);
    }
  }
}

namespace {

/// Hops to each slot and back.
std::vector<std::int32_t> there_and_back(const SlotHops& hops, std::size_t from) {
  std::vector<std::int32_t> away;
  for (std::size_t slot = 0; slot < hops.size(); ++slot) away.push_back(hops(from, slot) + hops(slot, from));
  return away;
}

std::int64_t sum_of_least(std::vector<std::int32_t> numbers, std::size_t count) {
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(numbers.begin(), end, numbers.end());
  return std::accumulate(numbers.begin(), end, std::int64_t{0});
}

}  // namespace

std::size_t central_slot(const SlotHops& hops, std::size_t count) {
  constexpr std::size_t most_candidates = 64;
  const std::size_t candidates = std::min(hops.size(), most_candidates);
  std::size_t central = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < candidates; ++i) {
    const std::size_t candidate = i * hops.size() / candidates;
    const std::int64_t sum = sum_of_least(there_and_back(hops, candidate), std::min(count, hops.size()));
    if (sum >= least) continue;
    least = sum;
    central = candidate;
  }
  return central;
}

std::vector<std::int32_t> compact_slots(const SlotHops& hops, std::size_t count) {
  std::vector<std::int32_t> chosen(hops.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (count >= hops.size()) return chosen;
  const auto away = there_and_back(hops, central_slot(hops, count));
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::int32_t a, std::int32_t b) {
    return away[static_cast<std::size_t>(a)] < away[static_cast<std::size_t>(b)];
  });
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace toroid::mapping
