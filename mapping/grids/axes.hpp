#pragma once
// The axes of a grid, found in the graph of who talks to whom alone, and what lies between: diagonals.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace toroid::mapping {

// A graph without weights, for code that only asks which vertices are neighbours.

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

struct Axis {
  std::int32_t extent = 1;
  bool periodic = false;
  std::vector<std::int32_t> coordinate;  ///< each vertex's, 0 to extent - 1; neighbours along the axis differ by one
};

/// The axes, or why there are none: each vertex has coordinates of its own, all places of the box are taken, and
/// nearly all neighbours there are linked, and no others. A ring of 4 is the product of two axes of extent 2.
///
/// Squares without diagonals tell which edges are parallel, and which two meet at a corner; two edges of a vertex at no
/// corner go straight on. Without the edges of an axis the graph falls into its layers. Takes O(n d^2 + edges * axes).
std::variant<std::vector<Axis>, std::string> find_axes(const PlainGraph& graph);

/// For each pair of axes of extent 2, the bytes between vertices that differ along both and no other.
using DiagonalBytes = std::vector<std::vector<double>>;

/// The axes in the order of their strides in the numbers of the vertices, each counted so that numbers rise along it,
/// periodic ones from vertex 0 on. Two axes of extent 2 that make a ring of 4 become one (see find_grid). Opposite
/// places of a ring exchange nothing, so where there are diagonals at all they may tell rings from squares.
std::vector<Axis> in_order_of_numbers(std::vector<Axis> axes, const DiagonalBytes& diagonals);

/// A vertex with more neighbours than this is in no stencil that is looked for (27 points have 26, 81 have 80).
constexpr std::size_t most_skeleton_neighbours = 128;

/// Vertices that have the same neighbours, themselves counted among these: ranks that differ only along an axis of
/// extent 2, or along a ring of 3.
struct Twins {
  std::vector<std::vector<Vertex>> classes;  ///< each in ascending order; ordered by their first vertices
  PlainGraph quotient;                       ///< the graph of the classes
};
Twins find_twins(const PlainGraph& graph);

/// The graph without its diagonals: of all neighbours in a grid, diagonal ones too, it leaves those along an axis. An
/// edge xy is a diagonal if there is a z that both x and y have more neighbours in common with than with each other; or
/// as many, where the degrees rise from x over z to y, as from a corner. That is the Cartesian skeleton of a strong
/// product (Hammack, Imrich, Klavzar, Handbook of Product Graphs, 8.3) but for that it counts where the skeleton
/// compares sets, so that it also holds where corners are no neighbours (19 points in space). Takes graphs without
/// twins. Returns nothing if a vertex has more than most_skeleton_neighbours.
std::optional<PlainGraph> cartesian_skeleton(const PlainGraph& graph);

/// The edges of a lattice of triangles, a grid whose ranks talk along one diagonal as well, as those of NPB's BT do, in
/// a graph for each of its three directions, or nothing if the graph is no such lattice. Any two directions of a
/// lattice that is a torus may be the axes of a grid, of which the third is the diagonal.
///
/// Two triangles with a common side xy make a rhombus u x v y; its opposite sides are parallel. Open and periodic
/// lattices are found from four vertices an axis on, in O(n).
std::optional<std::array<PlainGraph, 3>> triangle_directions(const PlainGraph& graph);

}  // namespace toroid::mapping
