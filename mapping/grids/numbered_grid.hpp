#pragma once
// The grid that ranks are numbered along.

#include <cstdint>
#include <vector>

#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// The extents of the grid in which rank x + X*(y + Y*(z + ...)) stands at (x, y, z, ...). A row along an axis is
/// followed from rank 0 on, and ends where the next rank of the stride gets hardly any bytes. The result is empty if
/// there is no such grid, or if fewer than nine in ten ranks talk to those that are next along each axis. Other
/// partners are not looked at.
std::vector<std::int32_t> numbered_extents(const TrafficGraph& graph);

}  // namespace toroid::mapping
