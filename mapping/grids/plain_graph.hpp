#pragma once
// A graph without weights, for code that only asks which vertices are neighbours.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace toroid::mapping {

using Vertex = std::uint32_t;
/// The neighbours of each vertex, in ascending order. If a is a neighbour of b, b is one of a; no vertex is its own.
using PlainGraph = std::vector<std::vector<Vertex>>;

/// The edges of a graph, each in a class of its own at first. An edge has a number at each of its ends: that of its
/// place in the list of all neighbours of all vertices. Both numbers are in the same class.
class EdgeClasses {
 public:
  /// The graph must outlive the classes.
  explicit EdgeClasses(const PlainGraph& graph) : graph_(graph) {
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

  /// The number of the edge from a vertex to the neighbour at this place in its list.
  std::size_t edge(Vertex vertex, std::size_t neighbour) const { return first_[vertex] + neighbour; }
  /// The number of the edge at its end `from`; `to` is a neighbour.
  std::size_t edge_between(Vertex from, Vertex to) const {
    const auto& neighbours = graph_[from];
    return edge(from, static_cast<std::size_t>(std::ranges::lower_bound(neighbours, to) - neighbours.begin()));
  }

  void join(std::size_t a, std::size_t b) { parent_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }
  /// The class of an edge: the least number in the class.
  std::size_t of(std::size_t edge) {
    while (parent_[edge] != edge) edge = parent_[edge] = parent_[parent_[edge]];
    return edge;
  }

  /// All classes, in ascending order.
  std::vector<std::size_t> all() {
    std::vector<std::size_t> classes;
    for (std::size_t edge = 0; edge < parent_.size(); ++edge)
      if (of(edge) == edge) classes.push_back(edge);
    return classes;
  }

 private:
  const PlainGraph& graph_;
  std::vector<std::size_t> first_;  ///< edge of each vertex
  std::vector<std::size_t> parent_;
};

}  // namespace toroid::mapping
