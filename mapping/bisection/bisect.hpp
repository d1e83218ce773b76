#pragma once
// A graph parted in two at the least cost that a multilevel search finds (Hendrickson, Leland 1995; Karypis, Kumar
// 1998).

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

/// Cuts a graph whose vertices all have size 1, within bounds that some cut keeps. The coarsest graph is cut in several
/// ways, and the best of these is refined from graph to graph.
Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
