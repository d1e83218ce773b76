#include "mapping/geometric/slot_hops.hpp"

#include <numeric>

namespace toroid::mapping {

using platforms::Wrap;

SlotHops::SlotHops(const platforms::Machine& machine, std::span<const platforms::NodeId> slots)
    : size_(slots.size()), symmetric_(machine.symmetric()) {
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
}

std::vector<platforms::NodeId> nodes_of(const SlotOf& slot_of, std::span<const platforms::NodeId> slots) {
  std::vector<platforms::NodeId> nodes;
  for (const auto slot : slot_of) nodes.push_back(slots[static_cast<std::size_t>(slot)]);
  return nodes;
}

namespace {

/// How many slots are how many hops away from `centre`, there and back.
std::vector<std::size_t> slots_at(const SlotHops& hops, std::size_t centre, std::vector<std::int32_t>& away) {
  std::vector<std::size_t> count;
  for (std::size_t slot = 0; slot < hops.size(); ++slot) {
    away[slot] = hops(centre, slot) + (hops.symmetric() ? 0 : hops(slot, centre));
    const auto distance = static_cast<std::size_t>(away[slot]);
    if (distance >= count.size()) count.resize(distance + 1, 0);
    ++count[distance];
  }
  return count;
}

/// The hops to the nearest `count` slots in all.
std::size_t hops_to_nearest(const std::vector<std::size_t>& at, std::size_t count) {
  std::size_t sum = 0;
  for (std::size_t distance = 0; count > 0; ++distance) {
    const std::size_t here = std::min(count, at[distance]);
    sum += here * distance;
    count -= here;
  }
  return sum;
}

}  // namespace

std::vector<std::int32_t> compact_slots(const SlotHops& hops, std::size_t count) {
  std::vector<std::int32_t> chosen(hops.size());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (count >= hops.size()) return chosen;
  constexpr std::size_t most_centres = 64;
  const std::size_t centres = std::min(hops.size(), most_centres);
  std::vector<std::int32_t> away(hops.size()), best_away;
  std::size_t best = 0;
  for (std::size_t i = 0; i < centres; ++i) {
    const std::size_t sum = hops_to_nearest(slots_at(hops, i * hops.size() / centres, away), count);
    if (!best_away.empty() && sum >= best) continue;
    best = sum;
    best_away = away;
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::int32_t a, std::int32_t b) {
    return best_away[static_cast<std::size_t>(a)] < best_away[static_cast<std::size_t>(b)];
  });
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace toroid::mapping
