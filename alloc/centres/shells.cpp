#include "alloc/centres/shells.hpp"

#include <algorithm>

#include "alloc/geometry/pairwise.hpp"

namespace toroid::alloc {

using platforms::Coordinates;
using platforms::Wrap;

std::int32_t distance_to_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate) {
  if (dimension.wrap == Wrap::mesh) return std::max({0, first - coordinate, coordinate - (first + length - 1)});
  std::int32_t ahead = coordinate - first;
  if (ahead < 0) ahead += dimension.extent;
  return ahead < length ? 0 : std::min(ahead - length + 1, dimension.extent - ahead);
}

Box widened(Box box, std::size_t dimensions, std::int32_t radius) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    box.first[d] -= radius;
    box.length[d] += 2 * radius;
  }
  return box;
}

std::vector<InShell> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius) {
  const Machine& machine = free.machine();
  const auto& grid = machine.grid();
  // Per dimension the coordinates within reach, and their distances.
  std::array<std::vector<std::pair<std::int32_t, std::int32_t>>, platforms::max_dimensions> reach;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    for (std::int32_t c = 0; c < grid.dimension(d).extent; ++c) {
      const std::int32_t distance = distance_to_range(grid.dimension(d), box.first[d], box.length[d], c);
      if (distance <= radius) reach[d].emplace_back(c, distance);
    }
  std::vector<InShell> nodes;
  std::array<std::size_t, platforms::max_dimensions> at{};
  for (bool more = true; more;) {
    Coordinates place{};
    std::int32_t shell = 0;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      place[d] = reach[d][at[d]].first;
      shell = std::max(shell, reach[d][at[d]].second);
    }
    const RouterId router = grid.router_at(place);
    if (free.free_on(router) > 0)
      for (std::int32_t i = 0; i < machine.description().nodes_per_router; ++i)
        if (const NodeId node = machine.first_node(router) + i; free.is_free(node)) nodes.push_back({shell, node});
    more = false;
    for (std::size_t d = 0; d < grid.dimension_count() && !more; ++d) {
      more = ++at[d] < reach[d].size();
      if (!more) at[d] = 0;
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void choose_nearest(const Machine& machine, std::vector<NodeId>& chosen, const std::vector<NodeId>& candidates,
                    std::size_t count, RouterId centre) {
  const auto& grid = machine.grid();
  struct Candidate {
    Coordinates at;
    std::int64_t hops = 0;  ///< both ways, to all that are chosen
    std::int64_t from_centre = 0;
    NodeId node = 0;
  };
  const auto hops = [&](const Coordinates& a, const Coordinates& b) {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) sum += hops_both_ways(grid.dimension(d), a[d], b[d]);
    return sum;
  };
  std::vector<Candidate> left;
  for (const NodeId node : candidates) left.push_back({grid.coordinates(machine.router(node)), 0, 0, node});
  for (auto& candidate : left) candidate.from_centre = hops(candidate.at, grid.coordinates(centre));
  // What is chosen so far, by its coordinates along each dimension.
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(grid.dimension(d).extent), 0);
    for (const NodeId node : chosen) ++counts[static_cast<std::size_t>(grid.coordinate(machine.router(node), d))];
    for (std::int32_t c = 0; c < grid.dimension(d).extent; ++c)
      if (const std::int64_t there = counts[static_cast<std::size_t>(c)]; there > 0)
        for (auto& candidate : left) candidate.hops += there * hops_both_ways(grid.dimension(d), candidate.at[d], c);
  }
  for (; count > 0; --count) {
    const auto next = std::min_element(left.begin(), left.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.hops, a.from_centre, a.node) < std::tie(b.hops, b.from_centre, b.node);
    });
    chosen.push_back(next->node);
    const Coordinates at = next->at;
    left.erase(next);
    if (count > 1)
      for (auto& candidate : left) candidate.hops += hops(candidate.at, at);
  }
}

}  // namespace toroid::alloc
