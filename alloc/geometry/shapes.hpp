#pragma once
// Boxes of routers that are as large as a job.

#include <vector>

#include "alloc/allocator.hpp"

namespace toroid::alloc {

/// The sides of a box: routers along each dimension.
using Shape = platforms::Coordinates;

/// The key `rotate`, whether the job's shape may be turned.
extern const core::Parameter<bool> rotate_parameter;

/// The number of routers in a box of that shape, on a grid of `dimensions` dimensions.
std::int64_t volume(const Shape& shape, std::size_t dimensions);

/// The shape that a request asks for, in routers. A request for any shape gets the box with enough nodes whose sides
/// have the least sum; of several the smallest, then the one that is longest along the last dimensions. Where routers
/// have several nodes, the first side of a shape in nodes goes first along the nodes of a router. Throws InputError
/// when the request's shape has more dimensions than the machine.
Shape shape_of(const Request& request, const Machine& machine);

/// The different shapes that a shape becomes when it is turned, itself first, as far as they fit into the grid.
std::vector<Shape> orientations(const Shape& shape, const platforms::Grid& grid);

}  // namespace toroid::alloc
