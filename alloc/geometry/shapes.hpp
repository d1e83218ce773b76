#pragma once
// Boxes of routers that are as large as a job.

#include <vector>

#include "alloc/allocator.hpp"

namespace toroid::alloc {

/// Routers along each dimension.
using Shape = platforms::Coordinates;

/// Routers in it, along the first dimensions of a grid.
std::int64_t volume(const Shape& shape, std::size_t dimensions);

/// The shape that a request asks for, in routers; of one that asks for none, among the boxes of the machine with enough
/// nodes the one whose sides add up to the least, of those the smallest, then the one that is longest along the last
/// dimensions. Where routers have several nodes the first side of a shape in nodes is along a router first. Throws
/// InputError when the request's shape has more dimensions than the machine.
Shape shape_of(const Request& request, const Machine& machine);

/// The shape and what it becomes when it is turned, each once, as far as that fits the machine.
std::vector<Shape> orientations(const Shape& shape, const platforms::Grid& grid);

}  // namespace toroid::alloc
