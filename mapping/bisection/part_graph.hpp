#pragma once
// A graph whose vertices are to be parted in two.

#include <cstdint>
#include <vector>

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

}  // namespace toroid::mapping
