#pragma once
// The neighbours that a link of the grid joins.

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// Calls visit(from, to) for each two neighbouring routers that a link of the grid joins, in its direction: once, but
/// on a line that routers share for each two neighbours on the line.
template <class Visit>
void for_each_span(const Grid& grid, LinkId link, Visit visit) {
  const auto d = grid.link_dimension(link);
  if (!grid.dimension(d).shared) return visit(grid.link_source(link), grid.link_target(link));
  auto here = grid.link_source(link);
  for (std::int32_t i = 0; i < grid.dimension(d).extent && grid.has_neighbour(here, d, true); ++i) {
    const auto next = grid.neighbour(here, d, true);
    visit(here, next);
    here = next;
  }
}

}  // namespace toroid::platforms
