#include "toroid/platforms/grid.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "tests/platforms/grids.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

std::string error_of_grid(const std::vector<Dimension>& dimensions) {
  return test::error_of([&] { Grid grid(dimensions); });
}

TEST_CASE("x runs fastest") {
  const Grid grid({{.extent = 4}, {.extent = 3}, {.extent = 2}});
  CHECK(grid.size() == 24);
  CHECK(grid.router_at({3, 0, 0}) == 3);
  CHECK(grid.router_at({0, 1, 0}) == 4);
  CHECK(grid.router_at({1, 2, 1}) == 1 + 4 * (2 + 3 * 1));
}

TEST_CASE("Router numbers and coordinates are inverse") {
  core::Random random(1, "coordinates");
  for (int i = 0; i < 100; ++i) {
    const auto grid = random_grid(random, 300);
    for (const RouterId router : grid.routers()) {
      REQUIRE(grid.router_at(grid.coordinates(router)) == router);
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        REQUIRE(grid.coordinates(router)[d] == grid.coordinate(router, d));
    }
  }
}

TEST_CASE("Neighbours differ by one step and are neighbours of each other") {
  core::Random random(2, "neighbours");
  for (int i = 0; i < 100; ++i) {
    const auto grid = random_grid(random, 300);
    const auto router = random_router(random, grid);
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      auto expected = grid.coordinates(router);
      expected[d] = (expected[d] + 1) % grid.dimension(d).extent;
      REQUIRE(grid.neighbour(router, d, true) == grid.router_at(expected));
      REQUIRE(grid.neighbour(grid.neighbour(router, d, true), d, false) == router);
    }
  }
}

TEST_CASE("A link id says router, dimension and direction") {
  const Grid grid({{.extent = 4}, {.extent = 3, .wrap = Wrap::torus}});
  std::set<LinkId> ids;
  for (const RouterId router : grid.routers())
    for (const std::size_t d : {0U, 1U})
      for (const bool forward : {false, true}) {
        const auto link = grid.link(router, d, forward);
        ids.insert(link);
        CHECK(grid.link_source(link) == router);
        CHECK(grid.link_dimension(link) == d);
        CHECK(grid.link_is_forward(link) == forward);
        CHECK(grid.link_target(link) == grid.neighbour(router, d, forward));
      }
  CHECK(ids.size() == static_cast<std::size_t>(grid.link_count()));
  CHECK(*ids.begin() == 0);
  CHECK(*ids.rbegin() == grid.link_count() - 1);
}

int existing_links(const Grid& grid) {
  int count = 0;
  for (const LinkId link : grid.links()) count += grid.link_exists(link) ? 1 : 0;
  return count;
}

TEST_CASE("A mesh has no links over its ends, a torus all, a ring the forward half") {
  const auto links = [](Wrap wrap) {
    return existing_links(Grid({{.extent = 5, .wrap = wrap}, {.extent = 3, .wrap = wrap}}));
  };
  CHECK(links(Wrap::mesh) == 2 * (4 * 3 + 5 * 2));
  CHECK(links(Wrap::torus) == 2 * 2 * 15);
  CHECK(links(Wrap::ring) == 2 * 15);
}

TEST_CASE("A dimension of extent 1 has no links") {
  for (const auto wrap : {Wrap::mesh, Wrap::torus, Wrap::ring})
    CHECK(existing_links(Grid({{.extent = 1, .wrap = wrap}})) == 0);
}

TEST_CASE("A torus dimension of extent 2 has two links each way, a mesh one") {
  CHECK(existing_links(Grid({{.extent = 2, .wrap = Wrap::torus}})) == 4);
  CHECK(existing_links(Grid({{.extent = 2, .wrap = Wrap::mesh}})) == 2);
}

TEST_CASE("A grid has 1 to 8 dimensions") {
  CHECK(error_of_grid({}) == "a grid has 1 to 8 dimensions, found 0");
  CHECK(error_of_grid(std::vector<Dimension>(9)) == "a grid has 1 to 8 dimensions, found 9");
  CHECK(Grid(std::vector<Dimension>(8, {.extent = 2})).size() == 256);
}

TEST_CASE("Impossible dimensions are errors that name the dimension") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(error_of_grid({{.extent = 0}}).starts_with("dimension x: extent 0"));
  CHECK(error_of_grid({{}, {.extent = -4}}).starts_with("dimension y: extent -4"));
  for (const double bandwidth : {0.0, -1.0, infinite, no_number})
    CHECK(error_of_grid({{}, {}, {.bandwidth = bandwidth}}).starts_with("dimension z: bandwidth"));
  for (const double latency : {-1e-9, infinite, no_number})
    CHECK(error_of_grid({{}, {}, {}, {.latency = latency}}).starts_with("dimension d3: latency"));
  CHECK(error_of_grid({{.latency = 0}}).empty());
}

TEST_CASE("A grid whose link ids would overflow is an error") {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  CHECK(error_of_grid({{.extent = largest}}).starts_with("the grid is too large"));
  CHECK(error_of_grid({{.extent = 1 << 16}, {.extent = 1 << 16}}).starts_with("the grid is too large"));
  CHECK(error_of_grid(std::vector<Dimension>(8, {.extent = largest})).starts_with("the grid is too large"));
  CHECK(error_of_grid({{.extent = 256}, {.extent = 128}, {.extent = 128}}).empty());
}

TEST_CASE("Dimensions are called x, y, z, d3, d4") {
  CHECK(dimension_name(0) == "x");
  CHECK(dimension_name(2) == "z");
  CHECK(dimension_name(3) == "d3");
  CHECK(dimension_name(7) == "d7");
}

TEST_CASE("Wraps have names") {
  CHECK(to_string(Wrap::mesh) == "mesh");
  CHECK(to_string(Wrap::torus) == "torus");
  CHECK(to_string(Wrap::ring) == "ring");
}

}  // namespace
}  // namespace toroid::platforms
