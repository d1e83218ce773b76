#pragma once
// The axes of a Cartesian product of paths and rings, found in the graph alone.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "mapping/grids/plain_graph.hpp"

namespace toroid::mapping {

struct Axis {
  std::int32_t extent = 1;
  bool periodic = false;
  std::vector<std::int32_t> coordinate;  ///< each vertex's, 0 to extent - 1; neighbours along the axis differ by one
};

/// The axes, or why there are none: each vertex has coordinates of its own, all places of the box are taken, and
/// nearly all neighbours there are linked, and no others. A ring of 4 is two axes of extent 2, which it is the product
/// of.
///
/// Squares without diagonals tell which edges are parallel, and which two meet at a corner; two edges of a vertex at no
/// corner go straight on. Without the edges of an axis the graph falls into its layers. Takes O(n d^2 + edges * axes).
std::variant<std::vector<Axis>, std::string> find_axes(const PlainGraph& graph);

}  // namespace toroid::mapping
