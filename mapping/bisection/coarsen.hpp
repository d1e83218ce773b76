#pragma once
// Smaller graphs of which cuts are cuts of the first.

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

struct Coarsened {
  PartGraph graph;
  std::vector<std::int32_t> cluster;  ///< of each vertex of the finer graph
};

/// Vertices joined along heavy edges into clusters of at most `largest`: each in turn with the neighbour that it is
/// linked to most for its size.
Coarsened coarsen(const PartGraph& fine, std::int32_t largest, core::Random& random);

}  // namespace toroid::mapping
