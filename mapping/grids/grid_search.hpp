#pragma once
// find_grid on a graph that is there already.

#include "mapping/problem/traffic_graph.hpp"
#include "mapping/traffic_grid.hpp"

namespace toroid::mapping {

FoundGrid find_grid(const TrafficGraph& graph);

}  // namespace toroid::mapping
