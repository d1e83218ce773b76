#include "mapping/problem/slot_hops.hpp"

#include <cstdlib>
#include <limits>
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
}

void SlotHops::from(Slot slot, core::IdVector<Slot, std::int32_t>& hops) const {
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
}

namespace {

/// Hops to each slot and back.
core::IdVector<Slot, std::int32_t> there_and_back(const SlotHops& hops, Slot from) {
  core::IdVector<Slot, std::int32_t> away;
  for (const Slot slot : hops.slots()) away.add(hops(from, slot) + hops(slot, from));
  return away;
}

std::int64_t sum_of_least(std::vector<std::int32_t> numbers, std::int32_t count) {
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
  std::vector<Slot> chosen(hops.slots().begin(), hops.slots().end());
  if (std::cmp_greater_equal(count, hops.size())) return chosen;
  const auto away = there_and_back(hops, central_slot(hops, count));
  std::stable_sort(chosen.begin(), chosen.end(), [&](Slot a, Slot b) { return away[a] < away[b]; });
  chosen.erase(chosen.begin() + count, chosen.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace toroid::mapping
