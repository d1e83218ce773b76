#pragma once
// The directions of a lattice of triangles: a grid whose ranks talk along one diagonal as well, as those of NPB's BT
// do.

#include <array>
#include <optional>

#include "mapping/grids/plain_graph.hpp"

namespace toroid::mapping {

/// The edges of a lattice of triangles, in a graph for each of its three directions, or nothing if the graph is no such
/// lattice. Any two directions of a lattice that is a torus may be the axes of a grid, of which the third is the
/// diagonal.
///
/// Two triangles with a common side xy make a rhombus u x v y; its opposite sides are parallel. Open and periodic
/// lattices are found from four vertices an axis on, in O(n).
std::optional<std::array<PlainGraph, 3>> triangle_directions(const PlainGraph& graph);

}  // namespace toroid::mapping
