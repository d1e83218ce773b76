#pragma once
// Cuts of small graphs to begin with.

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

/// One side grows from a vertex drawn at random, always by what costs least, until it has its size.
Sides grown_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

/// Vertices in the order of their potentials, which are the means of their neighbours' (Gauss-Seidel). Biases pull
/// towards their ends; without them two vertices far from each other are the ends.
Sides potential_cut(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
