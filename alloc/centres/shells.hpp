#pragma once
// The free nodes around a box, shell by shell.

#include <cstdint>
#include <vector>

#include "alloc/free_nodes.hpp"
#include "alloc/geometry/free_sums.hpp"

namespace toroid::alloc {

/// The distance of a coordinate from a range of coordinates: 0 within it, negative below it, positive above it. On a
/// dimension that wraps it is the shorter one, or the positive one if both are as short.
std::int32_t offset_from_range(const platforms::Dimension& dimension, std::int32_t first, std::int32_t length,
                               std::int32_t coordinate);

/// The free nodes up to `radius` routers from a box, shell by shell. A shell has first its faces, then its edges, then
/// its corners (by the number of dimensions along which a router is at the shell's distance), each from the low end of
/// dimension 0 on.
std::vector<NodeId> free_in_shells(const FreeNodes& free, const Box& box, std::int32_t radius);

}  // namespace toroid::alloc
