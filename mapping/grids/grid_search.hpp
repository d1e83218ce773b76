#pragma once
// The search of find_grid, for those that have the graph of the traffic already.

#include "mapping/problem/traffic_graph.hpp"
#include "mapping/traffic_grid.hpp"

namespace toroid::mapping {

FoundGrid find_grid(const TrafficGraph& graph);

}  // namespace toroid::mapping
