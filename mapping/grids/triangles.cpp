#include "mapping/grids/triangles.hpp"

#include <algorithm>
#include <iterator>

#include "mapping/grids/edge_classes.hpp"

namespace toroid::mapping {
namespace {

constexpr std::size_t most_neighbours = 6;

std::vector<Vertex> common_neighbours(const PlainGraph& graph, Vertex x, Vertex y) {
  std::vector<Vertex> common;
  std::set_intersection(graph[x].begin(), graph[x].end(), graph[y].begin(), graph[y].end(), std::back_inserter(common));
  return common;
}

}  // namespace

std::optional<std::array<PlainGraph, 3>> triangle_directions(const PlainGraph& graph) {
  for (const auto& neighbours : graph)
    if (neighbours.size() > most_neighbours) return std::nullopt;
  EdgeClasses parallel(graph);
  for (Vertex x = 0; x < graph.size(); ++x)
    for (const Vertex y : graph[x]) {
      if (y < x) continue;
      const auto tips = common_neighbours(graph, x, y);
      if (tips.size() > 2) return std::nullopt;
      if (tips.size() < 2) continue;
      const Vertex u = tips.front(), v = tips.back();
      parallel.join(parallel.edge_between(u, x), parallel.edge_between(y, v));
      parallel.join(parallel.edge_between(u, y), parallel.edge_between(x, v));
    }
  const auto classes = parallel.all();
  std::array<PlainGraph, 3> directions;
  if (classes.size() != directions.size()) return std::nullopt;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    directions[d].resize(graph.size());
    for (Vertex vertex = 0; vertex < graph.size(); ++vertex)
      for (std::size_t i = 0; i < graph[vertex].size(); ++i)
        if (parallel.of(parallel.edge(vertex, i)) == classes[d]) directions[d][vertex].push_back(graph[vertex][i]);
  }
  return directions;
}

}  // namespace toroid::mapping
