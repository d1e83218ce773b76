#include "alloc/neighbours.hpp"

namespace toroid::alloc {
namespace {

/// Whether there is a working link that way.
bool leads_on(const Machine& machine, RouterId router, std::size_t d, bool forward) {
  const auto& grid = machine.grid();
  if (!grid.has_neighbour(router, d, forward)) return false;
  // The links of a shared line stand for all of it: there routers fail, not links between two of them.
  if (grid.dimension(d).shared)
    return machine.router_works(router) && machine.router_works(grid.neighbour(router, d, forward));
  return machine.link_exists(grid.link(router, d, forward));
}

}  // namespace

bool are_joined(const Machine& machine, RouterId router, std::size_t d, bool forward) {
  return leads_on(machine, router, d, forward) ||
         leads_on(machine, machine.grid().neighbour(router, d, forward), d, !forward);
}

std::vector<RouterId> neighbours(const Machine& machine, RouterId router) {
  std::vector<RouterId> found;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    for (const bool forward : {true, false}) {
      if (!are_joined(machine, router, d, forward)) continue;
      const RouterId next = machine.grid().neighbour(router, d, forward);
      if (std::ranges::find(found, next) == found.end()) found.push_back(next);  // a ring of two has one
    }
  return found;
}

std::vector<NodeId> compute_nodes_on(const Machine& machine, RouterId router) {
  std::vector<NodeId> nodes;
  for (const NodeId node : machine.nodes_on(router))
    if (machine.computes(node)) nodes.push_back(node);
  return nodes;
}

}  // namespace toroid::alloc
