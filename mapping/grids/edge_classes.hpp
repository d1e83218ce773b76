#pragma once
// Edges of a graph in classes: which of them lie along the same axis.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mapping/grids/plain_graph.hpp"

namespace toroid::mapping {

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
