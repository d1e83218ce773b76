#pragma once
// Grids for the tests of this folder.

#include "core/random.hpp"
#include "tests/support/ids.hpp"
#include "toroid/platforms/description.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {

/// A grid of 1 to 5 dimensions with any wraps and at most `max_size` routers.
inline Grid random_grid(core::Random& random, std::int32_t max_size) {
  std::vector<Dimension> dimensions(1 + random.below(5));
  std::int32_t size = 1;
  for (auto& dimension : dimensions) {
    dimension.extent = 1 + static_cast<std::int32_t>(random.below(9));
    if (size * dimension.extent > max_size) dimension.extent = 1;
    size *= dimension.extent;
    dimension.wrap = static_cast<Wrap>(random.below(3));
    dimension.latency = 1e-9 * static_cast<double>(random.below(5));
  }
  return Grid(dimensions);
}

inline RouterId random_router(core::Random& random, const Grid& grid) {
  return RouterId(random.below(static_cast<std::uint64_t>(grid.size())));
}

inline std::vector<LinkId> route(const Grid& grid, RouterId from, RouterId to) {
  std::vector<LinkId> links;
  grid.for_each_link(from, to, [&](LinkId link) { links.push_back(link); });
  return links;
}

/// All links of a message, ports included.
inline std::vector<LinkId> route(const Machine& machine, NodeId from, NodeId to) {
  std::vector<LinkId> links;
  machine.for_each_link(from, to, [&](LinkId link) { links.push_back(link); });
  return links;
}

/// Calls check(grid, from, to) for many pairs of routers of many random grids.
template <class Check>
void for_random_pairs(Check check, int grids = 400, int pairs = 40, std::int32_t max_size = 5000) {
  core::Random random(20, "grids");
  for (int g = 0; g < grids; ++g) {
    const auto grid = random_grid(random, max_size);
    for (int i = 0; i < pairs; ++i) check(grid, random_router(random, grid), random_router(random, grid));
  }
}

}  // namespace toroid::platforms
