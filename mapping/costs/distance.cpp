#include "mapping/costs/distance.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace toroid::mapping {

double classic_distance(const Machine& machine, const Grid::Coordinates& hops) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) sum += hops[d];
  return sum;
}

double td_distance(const Machine& machine, const Grid::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    sum += hops[d];
    for (std::size_t e = d + 1; e < grid.dimension_count(); ++e)
      if (grid.dimension(e).extent > 1) sum += std::abs(hops[d] - hops[e]);
  }
  return sum;
}

double weighted_distance(const Machine& machine, const Grid::Coordinates& hops) {
  const auto& grid = machine.grid();
  double fastest = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) fastest = std::max(fastest, grid.dimension(d).bandwidth);
  double sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) sum += hops[d] * (fastest / grid.dimension(d).bandwidth);
  return sum;
}

const core::Registry<Distance>& distances() {
  static const core::Registry<Distance> registry(
      "cost", {{"classic", "bytes times hops", classic_distance},
               {"td", "bytes times hops plus the differences of hops per dimension", td_distance},
               {"weighted", "bytes times hops, each as much longer as its dimension is slower", weighted_distance}});
  return registry;
}

SlotDistances::SlotDistances(const Machine& machine, std::span<const NodeId> slots, Distance distance)
    : machine_(machine), distance_(distance) {
  std::map<NodeId, std::uint32_t> places;
  for (const NodeId node : slots) {
    const auto [place, is_new] = places.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    place_of_.push_back(place->second);
  }
  find_near();
  const std::size_t n = nodes_.size();
  if (n > table_limit) return;
  std::vector<float> table(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) table[from * n + to] = compute(from, to);
  table_ = std::move(table);
}

/// Breadth first over the routers, from each node.
void SlotDistances::find_near() {
  const auto& grid = machine_.grid();
  const auto routers = static_cast<std::size_t>(grid.size());
  std::vector<std::vector<std::int32_t>> slots_on(routers);
  for (std::size_t slot = 0; slot < place_of_.size(); ++slot)
    slots_on[static_cast<std::size_t>(machine_.router(nodes_[place_of_[slot]]))].push_back(
        static_cast<std::int32_t>(slot));
  std::vector<std::size_t> seen_from(routers, nodes_.size());
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    std::vector<platforms::NodeId> level{machine_.router(nodes_[place])}, next;
    std::vector<std::int32_t> near;
    std::size_t found = 0;
    seen_from[static_cast<std::size_t>(level[0])] = place;
    for (; !level.empty() && found <= 2 * grid.dimension_count(); std::swap(level, next)) {
      next.clear();
      for (const auto router : level) {
        const auto& here = slots_on[static_cast<std::size_t>(router)];
        near.insert(near.end(), here.begin(), here.end());
        found += here.empty() ? 0 : 1;
        for (std::size_t d = 0; d < grid.dimension_count(); ++d)
          for (const bool forward : {true, false}) {
            const auto beside = grid.neighbour(router, d, forward);
            if (!grid.link_exists(grid.link(router, d, forward)) && !grid.link_exists(grid.link(beside, d, !forward)))
              continue;
            if (std::exchange(seen_from[static_cast<std::size_t>(beside)], place) != place) next.push_back(beside);
          }
      }
    }
    near_.push_back(std::move(near));
  }
}

float SlotDistances::compute(std::size_t from, std::size_t to) const {
  return static_cast<float>(distance_(machine_, machine_.hops_per_dimension(nodes_[from], nodes_[to])));
}

}  // namespace toroid::mapping
