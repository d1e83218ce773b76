#include "mapping/grids/plain_graph.hpp"

#include <algorithm>
#include <iterator>

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

}  // namespace toroid::mapping
