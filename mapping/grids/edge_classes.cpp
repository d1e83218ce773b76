#include "mapping/grids/edge_classes.hpp"

#include <numeric>

namespace toroid::mapping {

EdgeClasses::EdgeClasses(const PlainGraph& graph) : graph_(graph) {
  std::size_t edges = 0;
  for (const auto& neighbours : graph_) {
    first_.push_back(edges);
    edges += neighbours.size();
  }
  parent_.resize(edges);
  std::iota(parent_.begin(), parent_.end(), 0U);
  for (Vertex vertex = 0; vertex < graph_.size(); ++vertex)
    for (std::size_t i = 0; i < graph_[vertex].size(); ++i)
      join(edge(vertex, i), edge_between(graph_[vertex][i], vertex));
}

std::size_t EdgeClasses::edge_between(Vertex from, Vertex to) const {
  const auto& neighbours = graph_[from];
  return edge(
      from, static_cast<std::size_t>(std::lower_bound(neighbours.begin(), neighbours.end(), to) - neighbours.begin()));
}

std::size_t EdgeClasses::of(std::size_t edge) {
  while (parent_[edge] != edge) edge = parent_[edge] = parent_[parent_[edge]];
  return edge;
}

std::vector<std::size_t> EdgeClasses::all() {
  std::vector<std::size_t> classes;
  for (std::size_t edge = 0; edge < parent_.size(); ++edge)
    if (of(edge) == edge) classes.push_back(edge);
  return classes;
}

}  // namespace toroid::mapping
