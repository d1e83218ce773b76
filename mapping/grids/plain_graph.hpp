#pragma once
// A graph without weights, for what looks at who is linked to whom alone.

#include <cstdint>
#include <vector>

namespace toroid::mapping {

using Vertex = std::uint32_t;
/// The neighbours of each vertex, ascending. Those of a vertex have it as a neighbour too; none is its own.
using PlainGraph = std::vector<std::vector<Vertex>>;

/// How many parts no edge connects.
std::size_t count_components(const PlainGraph& graph);

}  // namespace toroid::mapping
