#include "platforms/graphs/edges.hpp"

namespace toroid::platforms {

std::vector<Edge> edges(const Machine& machine) {
  const auto& grid = machine.grid();
  std::vector<Edge> all;
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !grid.link_exists(link) || !machine.link_exists(link)) continue;
    const auto d = grid.link_dimension(link);
    if (!grid.dimension(d).shared) {
      all.push_back({grid.link_source(link), grid.link_target(link), link});
      continue;
    }
    auto here = grid.link_source(link);
    for (std::int32_t i = 0; i < grid.dimension(d).extent && grid.has_neighbour(here, d, true); ++i) {
      const auto next = grid.neighbour(here, d, true);
      all.push_back({here, next, link});
      all.push_back({next, here, link});
      here = next;
    }
  }
  return all;
}

}  // namespace toroid::platforms
