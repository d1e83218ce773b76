#pragma once
// Ranks and slots cut in two together, level by level (Pellegrini 1994).

#include "mapping/bisection/slot_tree.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// Returns the slot of each rank. The tree has at least as many slots as there are ranks; which of them stay empty
/// follows from the cuts. A cut of a part counts what its ranks exchange with those of other parts as if these were in
/// the middle of theirs. Parts of a level are cut in an order in which each has much to do with those before it, and
/// then once more when all are. The first levels, which decide most, are cut in two ways each, and the search goes on
/// from the better.
Assignment dual_bisection(const TrafficGraph& traffic, const SlotTree& tree, core::Random& random);

}  // namespace toroid::mapping
