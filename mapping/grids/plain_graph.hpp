#pragma once
// A graph without weights, for code that only asks which vertices are neighbours.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace toroid::mapping {

using Vertex = std::uint32_t;
/// The neighbours of each vertex, in ascending order. If a is a neighbour of b, b is one of a; no vertex is its own.
using PlainGraph = std::vector<std::vector<Vertex>>;

/// The number of connected components.
std::size_t count_components(const PlainGraph& graph);

/// The graph without some of its edges; both have the same vertices.
PlainGraph without(const PlainGraph& graph, const PlainGraph& edges);

/// The edges of a graph, each in a class of its own at first. An edge has a number at each of its ends: that of its
/// place in the list of all neighbours of all vertices. Both numbers are in the same class.
class EdgeClasses {
 public:
  /// The graph must outlive the classes.
  explicit EdgeClasses(const PlainGraph& graph);

  /// The number of the edge from a vertex to the neighbour at this place in its list.
  std::size_t edge(Vertex vertex, std::size_t neighbour) const { return first_[vertex] + neighbour; }
  /// The number of the edge at its end `from`; `to` is a neighbour.
  std::size_t edge_between(Vertex from, Vertex to) const;

  void join(std::size_t a, std::size_t b) { parent_[std::max(of(a), of(b))] = std::min(of(a), of(b)); }
  /// The class of an edge: the least number in the class.
  std::size_t of(std::size_t edge);
  /// All classes, in ascending order.
  std::vector<std::size_t> all();

 private:
  const PlainGraph& graph_;
  std::vector<std::size_t> first_;  ///< edge of each vertex
  std::vector<std::size_t> parent_;
};

}  // namespace toroid::mapping
