#pragma once
// A graph parted in two at the least cost that a multilevel search finds (Hendrickson, Leland 1995; Karypis, Kumar
// 1998).

#include "core/random.hpp"
#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

/// All vertices have size 1; the bounds allow for some cut. Coarse graphs are cut in several ways, the best is refined
/// from graph to graph.
Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random);

}  // namespace toroid::mapping
