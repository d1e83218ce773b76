#pragma once
// A graph whose vertices are parted in two at the least cost that a multilevel search finds (Hendrickson, Leland 1995;
// Karypis, Kumar 1998).

#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace toroid::mapping {

/// Edges stand in the lists of both their vertices.
struct PartGraph {
  std::vector<std::int32_t> begin{0};  ///< where the edges of each vertex begin; and the end of the last
  std::vector<std::int32_t> to;
  std::vector<double> weight;      ///< what an edge costs if it is cut
  std::vector<std::int32_t> size;  ///< the size of each vertex
  std::vector<double> bias;        ///< what a vertex costs more on side 1 than on side 0

  std::int32_t vertices() const { return static_cast<std::int32_t>(size.size()); }
  /// Calls visit(neighbour, weight).
  template <class Visit>
  void for_each_neighbour(std::int32_t vertex, Visit&& visit) const {
    const auto v = static_cast<std::size_t>(vertex);
    for (auto e = static_cast<std::size_t>(begin[v]); e < static_cast<std::size_t>(begin[v + 1]); ++e)
      visit(to[e], weight[e]);
  }
  std::int32_t total_size() const;
  std::int32_t largest() const;
};

/// The side of each vertex, 0 or 1.
using Sides = std::vector<std::uint8_t>;

/// The least and the greatest size that side 0 may have.
struct Bounds {
  std::int32_t low, high;
};

/// The cost of a cut: the weight of the edges that are cut, plus the biases of the vertices on side 1.
double cost_of(const PartGraph& graph, const Sides& sides);

struct Coarsened {
  PartGraph graph;
  std::vector<std::int32_t> cluster;  ///< the cluster of each vertex of the finer graph
};

/// Joins vertices along heavy edges into clusters of size `largest` at most: each vertex in turn with the neighbour
/// whose edge is heaviest for its size.
Coarsened coarsen(const PartGraph& fine, std::int32_t largest, core::Random& random);

/// One side grows from a vertex drawn at random, always by what costs least, until it has its size.
Sides grown_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

/// Cuts the order of the vertices by potential: the potential of a vertex is the mean of its neighbours' (by
/// Gauss-Seidel steps), with biases that pull to either side. Without biases two vertices far from each other are the
/// ends.
Sides potential_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

/// In a pass vertices change sides one by one, each once, those first that gain most even if that is a loss; then the
/// pass is undone back to where the cost was least within the bounds, which a pass may leave by the largest vertex.
/// The search ends after a pass that gains nothing, or after `passes`. If `sides` are out of bounds at the start, they
/// are brought within them as far as the sizes of the vertices allow.
void refine(const PartGraph& graph, Bounds bounds, Sides& sides, int passes = 4);

/// Cuts a graph whose vertices all have size 1, within bounds that some cut keeps. The coarsest graph is cut in several
/// ways, and the best of these is refined from graph to graph.
Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
