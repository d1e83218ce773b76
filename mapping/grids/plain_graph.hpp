#pragma once
// A graph without weights, for code that only asks which vertices are neighbours.

#include <cstdint>
#include <vector>

namespace toroid::mapping {

using Vertex = std::uint32_t;
/// The neighbours of each vertex, in ascending order. If a is a neighbour of b, b is one of a; no vertex is its own.
using PlainGraph = std::vector<std::vector<Vertex>>;

/// The number of connected components.
std::size_t count_components(const PlainGraph& graph);

/// The graph without some of its edges; both have the same vertices.
PlainGraph without(const PlainGraph& graph, const PlainGraph& edges);

}  // namespace toroid::mapping
