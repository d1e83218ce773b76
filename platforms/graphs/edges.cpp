#include "platforms/graphs/edges.hpp"

#include "platforms/link_spans.hpp"

namespace toroid::platforms {

std::vector<Edge> edges(const Machine& machine) {
  const auto& grid = machine.grid();
  std::vector<Edge> all;
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !grid.link_exists(link) || !machine.link_exists(link)) continue;
    const bool both_ways = grid.dimension(grid.link_dimension(link)).shared;
    for_each_span(grid, link, [&](RouterId from, RouterId to) {
      all.push_back({from, to, link});
      if (both_ways) all.push_back({to, from, link});
    });
  }
  return all;
}

}  // namespace toroid::platforms
