// Twisted tori (Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: Twisted Torus Topologies for
// Enhanced Interconnection Networks, IEEE TPDS 21, 2010; TPU v4: Jouppi and others, ISCA 2023).

#include <catch2/catch.hpp>

#include "tests/platforms/graph.hpp"
#include "tests/support/machines.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

TEST_CASE("Routes on random twisted machines are as short as breadth-first search finds") {
  core::Random random(51, "twists");
  int twisted = 0;
  for (int i = 0; i < 1500 || twisted < 150; ++i) {
    const auto m = test::random_description(random, 300);
    if (std::none_of(m.dimensions.begin(), m.dimensions.end(), [](const Dimension& d) { return d.is_twisted(); }))
      continue;
    ++twisted;
    const Grid grid(m.dimensions, m.routing);
    const RouterGraph graph(m);
    const auto from = RouterId(random.below(static_cast<std::uint64_t>(grid.size())));
    const auto distance = graph.distances(from);
    for (const RouterId to : grid.routers()) {
      REQUIRE(grid.hops(from, to) == distance[to]);
      RouterId here = from;
      grid.for_each_hop(from, to, [&](RouterId router, std::size_t d, bool forward) {
        REQUIRE(router == here);
        here = RouterGraph::next(m, router, d, forward);
      });
      REQUIRE(here == to);
    }
  }
}

TEST_CASE("Forward and back again is where one was, twisted or not") {
  core::Random random(52, "twists");
  for (int i = 0; i < 300; ++i) {
    const auto m = test::random_description(random, 200);
    const Grid grid(m.dimensions, m.routing);
    for (const RouterId router : grid.routers())
      for (std::size_t d = 0; d < m.dimensions.size(); ++d)
        for (const bool forward : {true, false}) {
          const auto there = grid.neighbour(router, d, forward);
          REQUIRE(grid.neighbour(there, d, !forward) == router);
          if (grid.has_neighbour(router, d, forward)) REQUIRE(there == RouterGraph::next(m, router, d, forward));
        }
  }
}

TEST_CASE("Going all round a twisted dimension is a shift along the other") {
  const auto machine = make_machine("torus:4x4x8,x.twist=z+4");
  RouterId here = machine.grid().router_at({1, 2, 3});
  for (int i = 0; i < 4; ++i) here = machine.grid().neighbour(here, 0, true);
  CHECK(here == machine.grid().router_at({1, 2, 7}));
  for (int i = 0; i < 4; ++i) here = machine.grid().neighbour(here, 0, false);
  CHECK(here == machine.grid().router_at({1, 2, 3}));
}

/// Hops from a router to all (a twisted torus looks alike from each), and the links of each dimension that they take.
struct Distances {
  std::int32_t farthest = 0;
  double mean = 0;
  /// Messages a node can send to everybody per unit of time, if links carry one each, both directions of a dimension
  /// taken equally.
  double throughput = 0;
};
Distances distances(const std::string& platform) {
  const auto machine = make_machine(platform);
  const auto& grid = machine.grid();
  Distances all;
  Coordinates hops{};
  for (const RouterId to : grid.routers()) {
    all.farthest = std::max(all.farthest, grid.hops(0, to));
    all.mean += grid.hops(0, to);
    const auto steps = grid.steps(0, to);
    for (std::size_t d = 0; d < 3; ++d) hops[d] += std::abs(steps[d]);
  }
  all.mean /= grid.size();
  all.throughput = 2.0 * grid.size() / *std::max_element(hops.begin(), hops.end());
  return all;
}

TEST_CASE("The twists of TPU v4 shorten the diameter and the mean distance and even out the links") {
  struct Case {
    std::string name;
    std::int32_t plain_farthest, farthest;
    double plain_mean, mean;
  };
  for (const auto& c : {Case{"tpu-v4-4x4x8", 8, 6, 4, 3.4375}, Case{"tpu-v4-4x8x8", 10, 6, 5, 4.3125}}) {
    CAPTURE(c.name);
    const auto plain = distances(c.name), twisted = distances(c.name + "-twisted");
    CHECK(plain.farthest == c.plain_farthest);
    CHECK(twisted.farthest == c.farthest);
    CHECK(plain.mean == c.plain_mean);
    CHECK(twisted.mean == c.mean);
    CHECK(plain.throughput == 1);
    CHECK(twisted.throughput > 1.2);
  }
  // Camara and others: up to 74 % more of uniform traffic on the prism of k x k x 2k, where all six links of a node
  // are used alike: 6 / 3.4375.
  CHECK(6 / distances("tpu-v4-4x4x8-twisted").mean == Approx(1.745).epsilon(1e-3));
  // For any k: the diameter falls from 2k to 3k/2, or from 5k/2 to 3k/2.
  CHECK(distances("tpu-v4-8x8x16-twisted").farthest == 12);
  CHECK(distances("torus:8x16x16,x.twist=(y+8 z+8)").farthest == 12);
  CHECK(distances("torus:8x16x16").farthest == 20);
}

/// Links that cross between the halves z < Z/2 and the rest of a machine.
int cut_by_long_dimension(const std::string& platform) {
  const auto machine = make_machine(platform);
  const auto& grid = machine.grid();
  const auto half = [&](RouterId router) { return 2 * grid.coordinate(router, 2) < grid.dimension(2).extent; };
  int cut = 0;
  for (const LinkId link : grid.links()) cut += half(grid.link_source(link)) && !half(grid.link_target(link)) ? 1 : 0;
  return cut;
}

TEST_CASE("The cut across the long dimension, which is the bisection of a plain torus, doubles with the twist") {
  CHECK(cut_by_long_dimension("tpu-v4-4x4x8") == 2 * 16);
  // Over the wraps of x and y, 4 x 8 links each and both ways, now half of them across from each side.
  CHECK(cut_by_long_dimension("tpu-v4-4x4x8-twisted") == 2 * 16 + 2 * 32);
}

}  // namespace
}  // namespace toroid::platforms
