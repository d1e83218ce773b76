#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "alloc/leak/manager.hpp"
#include "tests/alloc/storms.hpp"

namespace toroid::alloc::leak {
namespace {

TEST_CASE("Neighbours of a manager are its router's nodes and those one working link away, either way") {
  for (const auto& text : machines_of_all_kinds()) {
    CAPTURE(text);
    const auto machine = platforms::make_machine(text);
    const auto& grid = machine.grid();
    std::set<std::pair<NodeId, NodeId>> joined;
    const auto join_all = [&](RouterId a, RouterId b) {
      for (const NodeId m : machine.compute_nodes())
        for (const NodeId n : machine.compute_nodes())
          if (m != n && machine.router(m) == a && machine.router(n) == b) joined.insert({m, n}), joined.insert({n, m});
    };
    for (const RouterId router : grid.routers()) join_all(router, router);
    for (const platforms::LinkId link : grid.links())
      if (machine.link_exists(link)) join_all(grid.link_source(link), grid.link_target(link));
    std::set<std::pair<NodeId, NodeId>> neighbours;
    const Topology topology(machine);
    for (const NodeId node : machine.compute_nodes())
      for (const NodeId next : topology.neighbours(node)) CHECK(neighbours.insert({node, next}).second);
    CHECK(neighbours == joined);
  }
}

TEST_CASE("A shared line joins its neighbours, not all that are on it") {
  const auto machine = platforms::make_machine("hpcline");
  auto neighbours = Topology(machine).neighbours(13);
  std::sort(neighbours.begin(), neighbours.end());
  CHECK(neighbours == std::vector<NodeId>{1, 12, 14, 25});
}

TEST_CASE("Failed links join nobody") {
  const auto machine = platforms::make_machine("mesh:3x2,fail-link=0-1");
  CHECK(Topology(machine).neighbours(1) == std::vector<NodeId>{2, 4});
}

TEST_CASE("A snake goes row by row, back and forth, from any corner") {
  const auto machine = platforms::make_machine("mesh:3x2");
  Topology topology(machine);
  REQUIRE(topology.corners() == 4);
  CHECK(*topology.snake(0) == std::vector<NodeId>{0, 1, 2, 5, 4, 3});
  CHECK(*topology.snake(1) == std::vector<NodeId>{2, 1, 0, 3, 4, 5});
  CHECK(*topology.snake(2) == std::vector<NodeId>{3, 4, 5, 2, 1, 0});
  CHECK(*topology.snake(3) == std::vector<NodeId>{5, 4, 3, 0, 1, 2});
}

TEST_CASE("A dimension of one router has no corners") {
  const auto machine = platforms::make_machine("mesh:1x3");
  Topology topology(machine);
  REQUIRE(topology.corners() == 2);
  CHECK(*topology.snake(1) == std::vector<NodeId>{2, 1, 0});
}

TEST_CASE("A spiral walks round its origin, ring by ring") {
  const auto machine = platforms::make_machine("mesh:5x5");
  Topology topology(machine);
  CHECK(*topology.spiral(12) ==
        std::vector<NodeId>{12, 13, 18, 17, 16, 11, 6, 7, 8, 9, 14, 19, 24, 23, 22, 21, 20, 15, 10, 5, 0, 1, 2, 3, 4});
  // In the corner of a mesh most of each ring lies outside.
  CHECK(*topology.spiral(0) ==
        std::vector<NodeId>{0, 1, 6, 5, 2, 7, 12, 11, 10, 3, 8, 13, 18, 17, 16, 15, 4, 9, 14, 19, 24, 23, 22, 21, 20});
}

TEST_CASE("A spiral wraps where the machine does") {
  const auto machine = platforms::make_machine("torus:3x3");
  Topology topology(machine);
  CHECK(*topology.spiral(0) == std::vector<NodeId>{0, 1, 4, 3, 5, 2, 8, 6, 7});
}

TEST_CASE("The node that asks comes first, also among those of its router") {
  const auto machine = platforms::make_machine("mesh:2x1,nodes-per-router=3");
  Topology topology(machine);
  CHECK(*topology.spiral(4) == std::vector<NodeId>{4, 3, 5, 0, 1, 2});
}

TEST_CASE("Every tour visits every node that computes once: snakes in steps of one, spirals outward") {
  for (const auto& text : machines_of_all_kinds()) {
    CAPTURE(text);
    const auto machine = platforms::make_machine(text);
    const std::vector<NodeId> all(machine.compute_nodes().begin(), machine.compute_nodes().end());
    Topology topology(machine);
    const auto visits_all = [&](Tour tour) {
      auto nodes = *tour;
      std::sort(nodes.begin(), nodes.end());
      return nodes == all;
    };
    for (std::uint32_t corner = 0; corner < topology.corners(); ++corner) {
      const auto tour = topology.snake(corner);
      CHECK(visits_all(tour));
      if (all.size() < static_cast<std::size_t>(machine.node_count())) continue;
      for (std::size_t i = 1; i < tour->size(); ++i) {
        auto from = machine.grid().coordinates(machine.router((*tour)[i - 1]));
        const auto to = machine.grid().coordinates(machine.router((*tour)[i]));
        std::int32_t steps = 0;
        for (std::size_t d = 0; d < from.size(); ++d) steps += std::abs(to[d] - from[d]);
        CHECK(steps <= 1);
      }
    }
    for (const NodeId origin : all) {
      const auto tour = topology.spiral(origin);
      CHECK(visits_all(tour));
      CHECK(tour->front() == origin);
      std::int32_t shell = 0;
      for (const NodeId node : *tour) {
        std::int32_t distance = 0;  // the largest along one dimension, whichever way round is shorter
        for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) {
          const auto& dim = machine.grid().dimension(d);
          const auto along = std::abs(machine.grid().coordinate(machine.router(node), d) -
                                      machine.grid().coordinate(machine.router(origin), d));
          const bool wraps = dim.wrap != platforms::Wrap::mesh;
          distance = std::max(distance, wraps ? std::min(along, dim.extent - along) : along);
        }
        CHECK(distance >= shell);
        shell = distance;
      }
    }
  }
}

}  // namespace
}  // namespace toroid::alloc::leak
