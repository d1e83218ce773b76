#include "mapping/bisection/bisect.hpp"

#include <algorithm>
#include <limits>

#include "mapping/bisection/coarsen.hpp"
#include "mapping/bisection/first_cut.hpp"
#include "mapping/bisection/refine.hpp"

namespace toroid::mapping {
namespace {

/// Clusters cannot be parted exactly: coarse cuts may be off by one of them.
Bounds loosened(const PartGraph& graph, Bounds bounds) {
  const std::int32_t leeway = std::max(0, graph.largest() - 1);
  return {std::max(0, bounds.low - leeway), std::min(graph.total_size(), bounds.high + leeway)};
}

Sides best_first_cut(const PartGraph& graph, Bounds bounds, std::int32_t tries, core::Random& random) {
  Sides best;
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t i = 0; i < tries; ++i) {
    auto sides = i < std::max(1, tries / 8) ? potential_cut(graph, bounds, random) : grown_cut(graph, bounds, random);
    refine(graph, loosened(graph, bounds), sides);
    const double cost = cost_of(graph, sides);
    if (cost >= least) continue;
    least = cost;
    best = std::move(sides);
  }
  return best;
}

}  // namespace

Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random) {
  constexpr std::int32_t coarse_enough = 40, many = 512;
  constexpr double least_shrinking = 0.95;
  const std::int32_t tries = graph.vertices() < many ? 4 : 16;
  std::vector<Coarsened> levels;
  const auto finest = [&]() -> const PartGraph& { return levels.empty() ? graph : levels.back().graph; };
  while (finest().vertices() > coarse_enough) {
    auto next = coarsen(finest(), std::max(2, graph.vertices() / 16), random);
    if (next.graph.vertices() > least_shrinking * finest().vertices()) break;
    levels.push_back(std::move(next));
  }
  auto sides = best_first_cut(finest(), bounds, tries, random);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const auto& cluster = levels[level].cluster;
    const auto& finer = level == 0 ? graph : levels[level - 1].graph;
    Sides projected;
    for (const std::int32_t c : cluster) projected.push_back(sides[static_cast<std::size_t>(c)]);
    sides = std::move(projected);
    refine(finer, loosened(finer, bounds), sides);
  }
  return sides;
}

}  // namespace toroid::mapping
