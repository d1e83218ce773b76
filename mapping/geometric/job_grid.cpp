#include "mapping/geometric/job_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace toroid::mapping {
namespace {

double bytes_between(const TrafficGraph& graph, Rank a, Rank b) {
  const auto neighbours = graph.neighbours(a);
  const auto edge = std::lower_bound(neighbours.begin(), neighbours.end(), b,
                                     [](const TrafficGraph::Edge& e, Rank rank) { return e.rank < rank; });
  return edge != neighbours.end() && edge->rank == b ? edge->bytes() : 0;
}

/// Length of the row of ranks 0, stride, 2 stride, ... of which each exchanges about as much with the next as the first
/// two do. What is far less is no part of the stencil: a collective, say.
std::int32_t row_length(const TrafficGraph& graph, std::int32_t stride) {
  const double usual = bytes_between(graph, 0, Rank(stride));
  if (usual == 0) return 1;
  std::int32_t length = 2;
  for (Rank rank(stride); (rank + stride).value() < graph.rank_count(); rank = rank + stride, ++length)
    if (bytes_between(graph, rank, rank + stride) < usual / 16) break;
  return length;
}

/// Whether two ranks are at most one step apart along each axis.
bool adjacent(const JobGrid& grid, Rank a, Rank b) {
  std::int32_t rest_a = a.value(), rest_b = b.value();
  for (const auto extent : grid) {
    const std::int32_t steps = std::abs(rest_a % extent - rest_b % extent);
    if (steps > 1 && steps != extent - 1) return false;
    rest_a /= extent;
    rest_b /= extent;
  }
  return true;
}

}  // namespace

const core::OptionalParameter<JobGrid> grid_parameter{
    "grid", "the job's grid", core::extents(most_axes, std::numeric_limits<std::int32_t>::max()), "from the traffic"};

std::optional<JobGrid> grid_of_traffic(const TrafficGraph& graph) {
  if (graph.rank_count() == 1) return JobGrid{1};
  JobGrid grid;
  for (std::int32_t stride = 1; stride < graph.rank_count(); stride *= grid.back()) {
    const std::int32_t length = row_length(graph, stride);
    if (length == 1 || grid.size() == most_axes || graph.rank_count() / stride % length != 0) return std::nullopt;
    grid.push_back(length);
  }
  double all = 0, near = 0;
  for (const Rank rank : graph.ranks())
    for (const auto& edge : graph.neighbours(rank)) {
      all += edge.bytes();
      if (adjacent(grid, rank, edge.rank)) near += edge.bytes();
    }
  return near >= 0.9 * all ? std::optional(grid) : std::nullopt;
}

JobGrid usual_grid(std::int32_t ranks) {
  static const std::vector<JobGrid> mini_ghost{{1, 4, 1},  {2, 4, 1},  {2, 4, 2},  {2, 8, 2},  {4, 8, 2},  {4, 8, 4},
                                               {4, 16, 4}, {8, 16, 4}, {8, 16, 8}, {8, 32, 8}, {16, 32, 8}};
  for (const auto& grid : mini_ghost)
    if (grid[0] * grid[1] * grid[2] == ranks) return grid;
  return compact_grid(ranks);
}

JobGrid compact_grid(std::int32_t ranks) {
  JobGrid best{ranks, 1, 1};
  const auto surface = [](const JobGrid& g) {
    return static_cast<std::int64_t>(g[0]) * g[1] + static_cast<std::int64_t>(g[0]) * g[2] +
           static_cast<std::int64_t>(g[1]) * g[2];
  };
  for (std::int32_t z = 1; static_cast<std::int64_t>(z) * z * z <= ranks; ++z) {
    if (ranks % z != 0) continue;
    for (std::int32_t y = z; static_cast<std::int64_t>(y) * y <= ranks / z; ++y) {
      if (ranks / z % y != 0) continue;
      const JobGrid grid{ranks / z / y, y, z};
      if (surface(grid) < surface(best)) best = grid;
    }
  }
  return best;
}

JobGrid derived_grid(const TrafficGraph& graph) {
  const auto derived = grid_of_traffic(graph);
  return derived ? *derived : usual_grid(graph.rank_count());
}

const JobGrid& checked_grid(const JobGrid& grid, std::int32_t ranks, const std::string& spec) {
  const auto places = std::accumulate(grid.begin(), grid.end(), std::int32_t{1}, std::multiplies<>());
  if (places != ranks)
    core::fail_input("'{}': the grid has {} places, expected {}, one for each rank", core::excerpt(spec), places,
                     ranks);
  return grid;
}

}  // namespace toroid::mapping
