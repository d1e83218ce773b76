#pragma once
// Which routers lie beside each other, and what is on them.

#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

/// Whether a working link, in either direction, joins a router to its neighbour along dimension d.
bool are_joined(const Machine& machine, RouterId router, std::size_t d, bool forward);

/// The routers that working links join to `router`, each once, in the order +x, -x, +y, ...
std::vector<RouterId> neighbours(const Machine& machine, RouterId router);

/// The compute nodes on a router.
std::vector<NodeId> compute_nodes_on(const Machine& machine, RouterId router);

}  // namespace toroid::alloc
