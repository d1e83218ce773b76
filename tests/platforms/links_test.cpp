// What sets links and nodes apart: exceptions, parallel links, shared lines, several nodes per router, numbering.

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "tests/support/machines.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

/// The value that a link has by the description read literally: the last exception that fits, else the dimension's.
double expected(const Description& m, const Grid& grid, LinkId link, bool bandwidth) {
  const auto d = grid.link_dimension(link);
  auto place = grid.coordinates(grid.link_source(link));
  if (!grid.link_is_forward(link)) place = grid.coordinates(grid.link_target(link));
  const auto is_in = [](const std::vector<Positions>& all, std::int32_t p) {
    for (const auto& range : all)
      for (std::int32_t q = range.first; q <= range.last; q += range.step)
        if (p == q) return true;
    return false;
  };
  double value = bandwidth ? m.dimensions[d].bandwidth : m.dimensions[d].latency;
  for (const auto& e : m.dimensions[d].exceptions) {
    bool fits = is_in(e.at, place[d]);
    for (const auto& condition : e.where) fits = fits && is_in(condition.at, place[condition.dimension]);
    if (fits && bandwidth && e.bandwidth > 0) value = e.bandwidth;
    if (fits && !bandwidth && e.latency >= 0) value = e.latency;
  }
  return bandwidth ? value * m.dimensions[d].links : value;
}

TEST_CASE("Every link has the bandwidth and latency that its exceptions say, parallel links added up") {
  core::Random random(61, "exceptions");
  int special = 0;
  for (int i = 0; i < 400; ++i) {
    const auto m = test::random_description(random, 100);
    const Machine machine(m);
    const auto& grid = machine.grid();
    for (const LinkId link : grid.links()) {
      if (!grid.link_exists(link)) continue;
      const auto& dimension = m.dimensions[grid.link_dimension(link)];
      if (dimension.shared) continue;
      REQUIRE(machine.link_bandwidth(link) == expected(m, grid, link, true));
      REQUIRE(grid.link_latency(link) == expected(m, grid, link, false));
      special += grid.link_bandwidth(link) != dimension.capacity() ? 1 : 0;
    }
  }
  CHECK(special > 1000);
}

TEST_CASE("Both directions between two routers are the same by exceptions") {
  core::Random random(62, "exceptions");
  for (int i = 0; i < 200; ++i) {
    const auto m = test::random_description(random, 100);
    const Grid grid(m.dimensions, m.routing);
    for (const LinkId link : grid.links()) {
      const auto d = grid.link_dimension(link);
      const bool forward = grid.link_is_forward(link);
      if (m.dimensions[d].shared || m.dimensions[d].wrap == Wrap::ring || !grid.link_exists(link)) continue;
      const auto back = grid.link(grid.link_target(link), d, !forward);
      REQUIRE(grid.link_bandwidth(back) == grid.link_bandwidth(link));
      REQUIRE(grid.link_latency(back) == grid.link_latency(link));
    }
  }
}

TEST_CASE(
    "A path has the hops of its route, their latencies summed and the narrowest bandwidth, whatever the links are") {
  core::Random random(63, "latency");
  for (int i = 0; i < 400; ++i) {
    const Machine machine(test::random_description(random, 200));
    const auto& grid = machine.grid();
    for (int pair = 0; pair < 20; ++pair) {
      const auto from = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count())));
      const auto to = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count())));
      if (from == to) continue;
      double sum = machine.parameters().base_latency, narrowest = std::numeric_limits<double>::infinity();
      std::int32_t hops = 0;
      grid.for_each_hop(machine.router(from), machine.router(to), [&](RouterId here, std::size_t d, bool forward) {
        sum += grid.link_latency(grid.link(here, d, forward));
        ++hops;
      });
      machine.for_each_link(from, to,
                            [&](LinkId link) { narrowest = std::min(narrowest, machine.link_bandwidth(link)); });
      const auto path = machine.path(from, to);
      REQUIRE(path.latency == Approx(sum).epsilon(1e-12).margin(0));
      REQUIRE(path.hops == hops);
      REQUIRE(path.bandwidth == narrowest);
    }
  }
}

TEST_CASE("Numbering and cabling give every router a number and every number a router") {
  core::Random random(64, "numbering");
  for (int i = 0; i < 400; ++i) {
    const Machine machine(test::random_description(random, 200));
    const auto per_router = machine.description().nodes_per_router;
    REQUIRE(machine.node_count() == machine.grid().size() * per_router);
    core::IdVector<RouterId, int> nodes_on(machine.grid().size(), 0);
    for (const NodeId node : machine.nodes()) {
      const auto router = machine.router(node);
      ++nodes_on[router];
      REQUIRE(node - machine.first_node(router) == node.value() % per_router);
    }
    REQUIRE(std::all_of(nodes_on.begin(), nodes_on.end(), [&](int n) { return n == per_router; }));
  }
}

TEST_CASE("A folded cabling joins neighbours but one") {
  for (std::int32_t extent = 1; extent <= 12; ++extent) {
    auto order = folded_cabling(extent);
    for (std::size_t c = 1; c < order.size(); ++c) CHECK(std::abs(order[c] - order[c - 1]) <= 2);
    CHECK(std::abs(order.front() - order.back()) <= 1);
    std::sort(order.begin(), order.end());
    Cabling all(static_cast<std::size_t>(extent));
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
  }
}

TEST_CASE("Nodes of a router meet there: no hop, no link of the grid, their own ports") {
  const auto machine = make_machine("mesh:2x2,nodes-per-router=3,injection=1GBps,ejection=2GBps,base=1us");
  CHECK(machine.node_count() == 12);
  CHECK(machine.hops(3, 5) == 0);
  CHECK(machine.latency(3, 5) == 1e-6);
  std::vector<LinkId> links;
  machine.for_each_link(3, 5, [&](LinkId link) { links.push_back(link); });
  CHECK(links == std::vector{LinkId(machine.grid().link_count() + 3), LinkId(machine.grid().link_count() + 12 + 5)});
  CHECK(machine.hops(2, 3) == 1);
}

TEST_CASE("A shared line is one link, whatever part of it a message travels") {
  core::Random random(65, "shared");
  for (int i = 0; i < 300; ++i) {
    const Machine machine(test::random_description(random, 100));
    const auto& grid = machine.grid();
    for (int pair = 0; pair < 20; ++pair) {
      const auto from = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count())));
      const auto to = NodeId(random.below(static_cast<std::uint64_t>(machine.node_count())));
      std::vector<LinkId> links;
      machine.for_each_link(from, to, [&](LinkId link) { links.push_back(link); });
      REQUIRE(std::set<LinkId>(links.begin(), links.end()).size() == links.size());
      std::size_t of_grid = 0, steps = 0;
      for (const auto link : links) of_grid += link.value() < grid.link_count() ? 1 : 0;
      const auto hops = machine.hops_per_dimension(from, to);
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        steps += static_cast<std::size_t>(grid.dimension(d).shared ? std::min(hops[d], 1) : hops[d]);
      REQUIRE(of_grid == steps);
    }
  }
}

}  // namespace
}  // namespace toroid::platforms
