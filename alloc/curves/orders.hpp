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

/// The order line after line, all in the same direction.
Order row_order(const Extents& extents, const Axes& axes);
/// The order line after line, back and forth: each place is next to the one before.
Order snake_order(const Extents& extents, const Axes& axes);
/// The order of Hilbert's curve, which begins at the origin and ends at the other end of the last axis. If the shortest
/// extent is a power of two and divides the others, the box consists of cubes, whose curves follow each other (spliced:
/// Walker, Bunde, Leung 2010, Figure 5). Otherwise the curve goes through the cube around the box, and places outside
/// the box are left out.
Order hilbert_order(const Extents& extents, const Axes& axes);
/// The order of Hilbert's curve through a cube that is stretched to the box, as in the library Zoltan (Figure 6 of the
/// same paper).
Order zoltan_order(const Extents& extents, const Axes& axes);

}  // namespace toroid::alloc
