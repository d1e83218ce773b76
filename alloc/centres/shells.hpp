#pragma once
// The free nodes around a box, shell by shell.

#include <cstdint>
#include <vector>

#include "alloc/free_nodes.hpp"
#include "alloc/geometry/free_sums.hpp"

namespace toroid::alloc {

/// Places from a range of coordinates to another coordinate: 0 within it, negative below it, positive above; on a
/// dimension that wraps the shorter way, of two as short the one up.
std::int32_t offset_from_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate);

/// The free nodes up to `radius` routers from a box, by shells, in each as they are found: faces, edges, corners (by
/// how many dimensions have a router at the shell's distance), from the low ends of dimension 0 on.
std::vector<NodeId> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius);

}  // namespace toroid::alloc
