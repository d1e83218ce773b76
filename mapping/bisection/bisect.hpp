#pragma once
// A graph whose vertices are parted in two at the least cost that a multilevel search finds (Hendrickson, Leland 1995;
// Karypis, Kumar 1998).

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "mapping/problem/traffic_graph.hpp"

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

// Ranks and slots cut in two together, level by level (Pellegrini 1994).

/// What a hop along each dimension costs, 1 or more; the cheapest dimension has 1.
using HopWeights = std::vector<double>;

/// The middle of some slots.
using Middle = std::vector<double>;

/// A part of the slots. It is cut unless all its slots are on one router.
struct SlotPart {
  std::size_t begin, end;  ///< the part's range in SlotTree::order
  Middle middle;
  std::size_t lower = 0, upper = 0;  ///< its halves, as indices of parts; 0, which is the whole, if it is not cut

  std::int32_t size() const { return static_cast<std::int32_t>(end - begin); }
  bool is_cut() const { return lower > 0; }
};

/// Parts are cut across the dimension along which two of their slots are farthest apart, hops weighted; on ties all
/// across the same one, drawn for the tree, as parts that are cut alike fit together. A cut goes between two planes of
/// routers if one is near enough to the middle. Rings are counted from their widest gap, or from a coordinate that is
/// drawn.
class SlotTree {
 public:
  /// With `opens_rings` distances do not go over the ends of the rings, as suits traffic that does not either. One-way
  /// rings are never opened.
  SlotTree(const SlotHops& hops, std::vector<Slot> slots, HopWeights weights, bool opens_rings, core::Random& random);

  const std::vector<SlotPart>& parts() const { return parts_; }
  /// The parts of level i are those from levels()[i] to levels()[i + 1]; level 0 is the whole.
  const std::vector<std::size_t>& levels() const { return levels_; }
  Slot slot(std::size_t i) const { return points_.slots[order_[i]]; }

  /// The weighted hops from one part's middle to another's.
  double distance(std::size_t from, std::size_t to) const;

 private:
  enum class Way : std::uint8_t { line, ring, one_way };
  struct Box {
    std::vector<std::int32_t> low, high;
  };

  void count_rings_from_gaps(const SlotHops& hops, core::Random& random);
  Box box_of(const SlotPart& part) const;
  /// The hops between the two slots of a box that are farthest apart along dimension d.
  std::int32_t most_hops(const Box& box, std::size_t d) const;
  Middle middle_of(const SlotPart& part, const Box& box) const;
  void cut(std::size_t part);
  std::size_t plane_near_middle(std::size_t d, const SlotPart& part) const;

  Points points_;
  HopWeights weights_;
  std::vector<Way> ways_;
  std::vector<std::size_t> preference_;  ///< the order of the dimensions on ties
  std::vector<std::int32_t> whole_;      ///< length of each dimension in all slots
  SplitOrder order_;
  std::vector<SlotPart> parts_;
  std::vector<std::size_t> levels_;
};

/// Returns the slot of each rank. The tree has at least as many slots as there are ranks; which of them stay empty
/// follows from the cuts. A cut of a part counts what its ranks exchange with those of other parts as if these were in
/// the middle of theirs. Parts of a level are cut in an order in which each has much to do with those before it, and
/// then once more when all are. The first levels, which decide most, are cut in two ways each, and the search goes on
/// from the better.
Assignment dual_bisection(const TrafficGraph& traffic, const SlotTree& tree, core::Random& random);

}  // namespace toroid::mapping
