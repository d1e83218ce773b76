#pragma once
// A machine as a graph: routers, and from each of them the neighbours that links lead to.

#include <vector>

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// A way from a router to a neighbour over a link. A line that routers share is a way between each two neighbours on
/// it, both ways.
struct Edge {
  RouterId from = 0, to = 0;
  LinkId link = 0;
};

/// All of them, by the numbers of the links; those of links that failed are left out.
std::vector<Edge> edges(const Machine& machine);

}  // namespace toroid::platforms
