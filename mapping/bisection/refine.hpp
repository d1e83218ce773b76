#pragma once
// Cuts made better by moves of single vertices (Fiduccia, Mattheyses 1982).

#include "mapping/bisection/part_graph.hpp"

namespace toroid::mapping {

/// In a pass vertices change sides one by one, each once, those first that gain most even if that is a loss; then the
/// pass is undone back to where the cost was least within the bounds, which a pass may leave by the largest vertex.
/// The search ends after a pass that gains nothing, or after `passes`. If `sides` are out of bounds at the start, they
/// are brought within them as far as the sizes of the vertices allow.
void refine(const PartGraph& graph, Bounds bounds, Sides& sides, int passes = 4);

}  // namespace toroid::mapping
