#include "mapping/grids/plain_graph.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace toroid::mapping {

std::size_t count_components(const PlainGraph& graph) {
  std::vector<bool> seen(graph.size());
  std::vector<Vertex> waiting;
  std::size_t components = 0;
  for (Vertex start = 0; start < graph.size(); ++start) {
    if (seen[start]) continue;
    ++components;
    seen[start] = true;
    waiting.push_back(start);
    while (!waiting.empty()) {
      const Vertex vertex = waiting.back();
      waiting.pop_back();
      for (const Vertex next : graph[vertex]) {
        if (seen[next]) continue;
        seen[next] = true;
        waiting.push_back(next);
      }
    }
  }
  return components;
}

PlainGraph without(const PlainGraph& graph, const PlainGraph& edges) {
  PlainGraph rest(graph.size());
  for (std::size_t vertex = 0; vertex < graph.size(); ++vertex)
    std::set_difference(graph[vertex].begin(), graph[vertex].end(), edges[vertex].begin(), edges[vertex].end(),
                        std::back_inserter(rest[vertex]));
  return rest;
}

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
