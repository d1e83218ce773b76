#pragma once
// The first cuts of small graphs.

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

/// One side grows from a vertex drawn at random, always by what costs least, until it has its size.
Sides grown_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

/// Cuts the order of the vertices by potential: the potential of a vertex is the mean of its neighbours' (by
/// Gauss-Seidel steps), with biases that pull to either side. Without biases two vertices far from each other are the
/// ends.
Sides potential_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
