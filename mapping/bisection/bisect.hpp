#pragma once
// A graph whose vertices are parted in two at the least cost that a multilevel search finds (Hendrickson, Leland 1995;
// Karypis, Kumar 1998).

#include <algorithm>
#include <limits>

#include "core/random.hpp"

namespace toroid::mapping {

using PartVertex = std::uint32_t;  ///< the index of a vertex
constexpr PartVertex no_vertex = std::numeric_limits<PartVertex>::max();

/// Edges stand in the lists of both their vertices.
struct PartGraph {
  std::vector<std::size_t> begin{0};  ///< where the edges of each vertex begin; and the end of the last
  std::vector<PartVertex> to;
  std::vector<double> weight;      ///< what an edge costs if it is cut
  std::vector<std::int32_t> size;  ///< the size of each vertex
  std::vector<double> bias;        ///< what a vertex costs more on side 1 than on side 0

  PartVertex vertices() const { return static_cast<PartVertex>(size.size()); }
  /// Calls visit(neighbour, weight).
  template <class Visit>
  void for_each_neighbour(PartVertex v, Visit&& visit) const {
    for (auto e = begin[v]; e < begin[v + 1]; ++e) visit(to[e], weight[e]);
  }
  std::int32_t total_size() const;
  std::int32_t largest() const;
};

/// Vertices that wait to move, those first that gain most, of equal ones the first. Entries that are out of date stay
/// until they come up.
class VerticesByGain {
 public:
  void clear() { heap_.clear(); }
  void add(double gain, PartVertex vertex) {
    heap_.emplace_back(gain, ~vertex);
    std::push_heap(heap_.begin(), heap_.end());
  }
  /// The vertex that gains most, or no_vertex. `is_current(gain, vertex)` tells entries that are out of date.
  template <class IsCurrent>
  PartVertex best(IsCurrent is_current) {
    for (; !heap_.empty(); pop())
      if (is_current(heap_.front().first, ~heap_.front().second)) return ~heap_.front().second;
    return no_vertex;
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }

 private:
  std::vector<std::pair<double, PartVertex>> heap_;
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
  std::vector<PartVertex> cluster;  ///< the cluster of each vertex of the finer graph
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

/// Makes a cut better by moves of single vertices (Fiduccia, Mattheyses 1982).
/// In a pass vertices change sides one by one, each once, those first that gain most even if that is a loss; then the
/// pass is undone back to where the cost was least within the bounds, which a pass may leave by the largest vertex.
/// The search ends after a pass that gains nothing, or after `passes`. If `sides` are out of bounds at the start, they
/// are brought within them as far as the sizes of the vertices allow.
void refine(const PartGraph& graph, Bounds bounds, Sides& sides, int passes = 4);

/// Cuts a graph whose vertices all have size 1, within bounds that some cut keeps. The coarsest graph is cut in several
/// ways, and the best of these is refined from graph to graph.
Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
