// Dimension-order routes, over random grids and against independent searches.

#include <catch2/catch.hpp>
#include <queue>

#include "tests/platforms/grids.hpp"

namespace toroid::platforms {
namespace {

TEST_CASE("A route has as many links as hops") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    REQUIRE(route(grid, from, to).size() == static_cast<std::size_t>(grid.hops(from, to)));
  });
}

TEST_CASE("A route leads over existing links from its source to its target") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    RouterId here = from;
    for (const auto link : route(grid, from, to)) {
      REQUIRE(grid.link_exists(link));
      REQUIRE(grid.link_source(link) == here);
      here = grid.link_target(link);
    }
    REQUIRE(here == to);
  });
}

TEST_CASE("A route finishes x before y before z, each in one direction") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    const auto links = route(grid, from, to);
    for (std::size_t i = 1; i < links.size(); ++i) {
      REQUIRE(grid.link_dimension(links[i - 1]) <= grid.link_dimension(links[i]));
      if (grid.link_dimension(links[i - 1]) == grid.link_dimension(links[i]))
        REQUIRE(grid.link_is_forward(links[i - 1]) == grid.link_is_forward(links[i]));
    }
  });
}

TEST_CASE("The latency of a route is the sum over its links") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    double sum = 0;
    for (const auto link : route(grid, from, to)) sum += grid.dimension(grid.link_dimension(link)).latency;
    REQUIRE(grid.latency(from, to) == Approx(sum).margin(1e-15));
  });
}

/// Distances from `from` over the existing links, by breadth-first search.
core::IdVector<RouterId, std::int32_t> distances(const Grid& grid, RouterId from) {
  core::IdVector<RouterId, std::vector<RouterId>> next(grid.size());
  for (const LinkId link : grid.links())
    if (grid.link_exists(link)) next[grid.link_source(link)].push_back(grid.link_target(link));
  core::IdVector<RouterId, std::int32_t> distance(grid.size(), -1);
  std::queue<RouterId> queue({from});
  distance[from] = 0;
  for (; !queue.empty(); queue.pop())
    for (const RouterId to : next[queue.front()])
      if (distance[to] < 0) {
        distance[to] = distance[queue.front()] + 1;
        queue.push(to);
      }
  return distance;
}

TEST_CASE("No route is longer than the shortest path over the links") {
  core::Random random(4, "search");
  for (int i = 0; i < 300; ++i) {
    const auto grid = random_grid(random, 200);
    const auto from = random_router(random, grid);
    const auto distance = distances(grid, from);
    for (const RouterId to : core::ids<RouterId>(grid.size())) REQUIRE(grid.hops(from, to) == distance[to]);
  }
}

TEST_CASE("Routes on one-way rings only go forward") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    for (const auto link : route(grid, from, to))
      if (grid.dimension(grid.link_dimension(link)).wrap == Wrap::ring) REQUIRE(grid.link_is_forward(link));
  });
}

TEST_CASE("There and back on a one-way ring is once round, or nothing") {
  const Grid ring({{.extent = 7, .wrap = Wrap::ring}});
  for (RouterId a = 0; a < 7; ++a)
    for (RouterId b = 0; b < 7; ++b) CHECK(ring.hops(a, b) + ring.hops(b, a) == (a == b ? 0 : 7));
}

TEST_CASE("Distances are symmetric unless a dimension is one-way") {
  for_random_pairs([](const Grid& grid, RouterId from, RouterId to) {
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      if (grid.dimension(d).wrap == Wrap::ring) return;
    REQUIRE(grid.hops(from, to) == grid.hops(to, from));
  });
}

TEST_CASE("Mesh and torus route alike where no wrap is shorter") {
  core::Random random(5, "mesh and torus");
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Dimension> dimensions(1 + random.below(4));
    for (auto& dimension : dimensions) dimension.extent = 1 + static_cast<std::int32_t>(random.below(8));
    const Grid mesh(dimensions);
    for (auto& dimension : dimensions) dimension.wrap = Wrap::torus;
    const Grid torus(dimensions);
    const auto from = random_router(random, mesh), to = random_router(random, mesh);
    bool straight = true;
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      straight = straight && 2 * std::abs(mesh.coordinate(to, d) - mesh.coordinate(from, d)) < dimensions[d].extent;
    if (!straight) continue;
    ++compared;
    REQUIRE(route(mesh, from, to) == route(torus, from, to));
  }
  CHECK(compared > 500);
}

TEST_CASE("The shorter way round a torus is taken") {
  const Grid torus({{.extent = 7, .wrap = Wrap::torus}});
  CHECK(torus.steps(0, 0, 3) == 3);
  CHECK(torus.steps(0, 0, 4) == -3);
  CHECK(torus.steps(0, 6, 1) == 2);
  CHECK(torus.steps(0, 1, 6) == -2);
  CHECK(torus.steps(0, 5, 5) == 0);
}

TEST_CASE("At half the ring a torus goes forward, except from the middle to 0") {
  for (const std::int32_t extent : {2, 4, 6, 8}) {
    const Grid torus({{.extent = extent, .wrap = Wrap::torus}});
    const auto half = extent / 2;
    for (std::int32_t from = 0; from < extent; ++from) {
      CAPTURE(extent, from);
      CHECK(torus.steps(0, from, (from + half) % extent) == (from == half ? -half : half));
    }
  }
}

TEST_CASE("A mesh goes straight, whatever the distance") {
  const Grid mesh(std::vector<Dimension>{{.extent = 8}});
  CHECK(mesh.steps(0, 0, 7) == 7);
  CHECK(mesh.steps(0, 7, 0) == -7);
}

TEST_CASE("The links of a route, by hand") {
  const Grid grid({{.extent = 3}, {.extent = 3, .wrap = Wrap::torus}});
  const auto from = grid.router_at({0, 0}), to = grid.router_at({2, 2});
  CHECK(route(grid, from, to) == std::vector<LinkId>{grid.link(grid.router_at({0, 0}), 0, true),
                                                     grid.link(grid.router_at({1, 0}), 0, true),
                                                     grid.link(grid.router_at({2, 0}), 1, false)});
  CHECK(route(grid, from, from).empty());
}

}  // namespace
}  // namespace toroid::platforms
