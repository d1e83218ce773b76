#include "mapping/costs/distance.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace toroid::mapping {

double classic_distance(const Machine& machine, const platforms::Coordinates& hops) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) sum += hops[d];
  return sum;
}

double td_distance(const Machine& machine, const platforms::Coordinates& hops) {
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

double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t missing = 3;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) missing -= grid.dimension(d).extent > 1 ? 1 : 0;
  return td_distance(machine, hops) + std::max(0, missing) * classic_distance(machine, hops);
}

double weighted_distance(const Machine& machine, const platforms::Coordinates& hops) {
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
               {"td-eq7", "the same as it is printed, with the dimensions that a grid has less than three as 0 hops",
                td_eq7_distance},
               {"weighted", "bytes times hops, each as much longer as its dimension is slower", weighted_distance}});
  return registry;
}

SlotDistances::SlotDistances(const Machine& machine, std::span<const NodeId> slots, Distance distance)
    : machine_(machine), distance_(distance), near_(machine, slots) {
  std::map<NodeId, std::uint32_t> places;
  for (const NodeId node : slots) {
    const auto [place, is_new] = places.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back(node);
    place_of_.push_back(place->second);
  }
  const std::size_t n = nodes_.size();
  if (n > table_limit) return;
  std::vector<float> table(n * n);
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to) table[from * n + to] = compute(from, to);
  table_ = std::move(table);
}

void SlotDistances::add_row(std::size_t from, double factor, std::vector<double>& costs) const {
  const std::size_t n = size();
  if (table_.empty()) {
    for (std::size_t to = 0; to < n; ++to) costs[to] += factor * (*this)(from, to);
    return;
  }
  const float* row = table_.data() + place_of_[from] * nodes_.size();
  if (nodes_.size() == n)  // each slot is a node of its own, so its place is its index
    for (std::size_t to = 0; to < n; ++to) costs[to] += factor * static_cast<double>(row[to]);
  else
    for (std::size_t to = 0; to < n; ++to) costs[to] += factor * static_cast<double>(row[place_of_[to]]);
}

float SlotDistances::compute(std::size_t from, std::size_t to) const {
  return static_cast<float>(distance_(machine_, machine_.hops_per_dimension(nodes_[from], nodes_[to])));
}

}  // namespace toroid::mapping
