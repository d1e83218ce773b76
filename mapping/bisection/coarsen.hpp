#pragma once
// Smaller graphs, whose cuts are cuts of the first graph, too.

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

struct Coarsened {
  PartGraph graph;
  std::vector<std::int32_t> cluster;  ///< the cluster of each vertex of the finer graph
};

/// Joins vertices along heavy edges into clusters of size `largest` at most: each vertex in turn with the neighbour
/// whose edge is heaviest for its size.
Coarsened coarsen(const PartGraph& fine, std::int32_t largest, core::Random& random);

}  // namespace toroid::mapping
