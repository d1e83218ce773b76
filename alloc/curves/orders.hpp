#pragma once
// Curves through a box of places, from end to end.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toroid::alloc {

using Extents = std::vector<std::int32_t>;
/// All places of a box in the order of a curve; places are numbered as routers are, x fastest.
using Order = std::vector<std::int32_t>;
/// The dimensions in the order in which a curve runs along them, each once.
using Axes = std::vector<std::size_t>;

/// Line after line, all in the same direction.
Order row_order(const Extents& extents, const Axes& axes);
/// Back and forth: each place is next to the one before.
Order snake_order(const Extents& extents, const Axes& axes);
/// Hilbert's curve, which begins at the origin and comes to the other end of the last axis. If the shortest extent is a
/// power of two and divides the others, the box is a row of cubes (or several) and has one curve after the other
/// (spliced: Walker, Bunde, Leung 2010, Figure 5); else the curve through the cube around it, less what is not there.
Order hilbert_order(const Extents& extents, const Axes& axes);
/// Hilbert's curve through a cube that is stretched to the box, as the library Zoltan has it (Figure 6 there).
Order zoltan_order(const Extents& extents, const Axes& axes);

}  // namespace toroid::alloc
