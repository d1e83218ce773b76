#pragma once
// Which axis is x, and which end is its beginning: as the numbers of the ranks say, as far as these have an order.

#include "mapping/grids/product_axes.hpp"

namespace toroid::mapping {

/// For each pair of axes of extent 2, the bytes between vertices that differ along both and no other.
using DiagonalBytes = std::vector<std::vector<double>>;

/// The axes in the order of their strides in the numbers of the vertices, each counted so that numbers rise along it,
/// periodic ones from vertex 0 on. Two axes of extent 2 that make a ring of 4 become one (see find_grid). Opposite
/// places of a ring exchange nothing, so where there are diagonals at all they may tell rings from squares.
std::vector<Axis> in_order_of_numbers(std::vector<Axis> axes, const DiagonalBytes& diagonals);

}  // namespace toroid::mapping
