#include "mapping/grids/numbered_grid.hpp"

#include <algorithm>

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

/// The share of the pairs of ranks one step apart along an axis that exchange something.
double share_linked(const TrafficGraph& graph, const std::vector<std::int32_t>& extents) {
  std::int64_t linked = 0, all = 0;
  std::int32_t stride = 1;
  for (const std::int32_t extent : extents) {
    for (const Rank rank : graph.ranks()) {
      if (rank.value() / stride % extent + 1 == extent) continue;
      ++all;
      if (bytes_between(graph, rank, rank + stride) > 0) ++linked;
    }
    stride *= extent;
  }
  return all == 0 ? 0 : static_cast<double>(linked) / static_cast<double>(all);
}

}  // namespace

std::vector<std::int32_t> numbered_extents(const TrafficGraph& graph) {
  std::vector<std::int32_t> extents;
  for (std::int32_t stride = 1; stride < graph.rank_count(); stride *= extents.back()) {
    const std::int32_t length = row_length(graph, stride);
    if (length == 1 || graph.rank_count() / stride % length != 0) return {};
    extents.push_back(length);
  }
  constexpr double least_linked = 0.9;
  if (share_linked(graph, extents) < least_linked) return {};
  return extents;
}

}  // namespace toroid::mapping
