#include "alloc/metrics.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "core/random.hpp"
#include "tests/alloc/storms.hpp"

namespace toroid::alloc {
namespace {

using platforms::Wrap;

/// Random nodes that compute, each once.
std::vector<NodeId> random_nodes(core::Random& random, const Machine& machine) {
  std::vector<NodeId> nodes(machine.compute_nodes().begin(), machine.compute_nodes().end());
  random.shuffle(nodes);
  nodes.resize(1 + random.below(nodes.size()));
  return nodes;
}

/// All metrics, each by its definition.
AllocationMetrics by_definition(const Machine& machine, const std::vector<NodeId>& nodes) {
  const auto& grid = machine.grid();
  AllocationMetrics metrics;
  for (const NodeId a : nodes)
    for (const NodeId b : nodes)
      if (a < b) metrics.sum_pairwise_hops += (machine.hops(a, b) + machine.hops(b, a)) / 2.0;
  const auto n = static_cast<double>(nodes.size());
  metrics.mean_pairwise_hops = n > 1 ? metrics.sum_pairwise_hops / (n * (n - 1) / 2) : 0;

  std::set<RouterId> routers;
  for (const NodeId node : nodes) routers.insert(machine.router(node));
  std::vector<std::pair<RouterId, RouterId>> cables;
  for (const RouterId router : grid.routers())
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const RouterId next = grid.neighbour(router, d, true);
      if (grid.has_neighbour(router, d, true) &&
          (machine.link_exists(grid.link(router, d, true)) || machine.link_exists(grid.link(next, d, false))))
        cables.emplace_back(router, next);
    }
  for (const auto& [a, b] : cables) metrics.surface += routers.contains(a) != routers.contains(b);
  auto unseen = routers;
  while (!unseen.empty()) {
    ++metrics.components;
    std::vector<RouterId> reached{*unseen.begin()};
    unseen.erase(unseen.begin());
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const auto& [a, b] : cables)
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
          if (from == reached[i] && unseen.erase(to) == 1) reached.push_back(to);
  }

  metrics.box_routers = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const std::int32_t extent = grid.dimension(d).extent;
    const std::int32_t starts = grid.dimension(d).wrap == Wrap::mesh ? 1 : extent;
    for (std::int32_t length = extent; length >= 1; --length)
      for (std::int32_t start = 0; start < (starts == 1 ? extent - length + 1 : starts); ++start)
        if (std::all_of(routers.begin(), routers.end(), [&](RouterId router) {
              return (grid.coordinate(router, d) - start + extent) % extent < length;
            }))
          metrics.box[d] = length;
    metrics.box_routers *= metrics.box[d];
  }
  return metrics;
}

TEST_CASE("Metrics of allocations are what their definitions say") {
  core::Random random(5, "test");
  auto machines = machines_of_all_kinds();
  for (const std::string more : {"mesh:6x4,failed-links=n0-n1 n7-n8 n13>n14", "torus:8x4,y.twist=x+4", "torus:2x2x3",
                                 "torus:4x4,failed-routers=r5", "ring:12x8", "torus:5x7"})
    machines.push_back(more);
  for (const auto& text : machines) {
    CAPTURE(text);
    const auto machine = platforms::make_machine(text);
    Measure measure(machine);
    for (int round = 0; round < 20; ++round) {
      const auto nodes = random_nodes(random, machine);
      const auto expected = by_definition(machine, nodes), found = measure.all(nodes);
      CHECK(found.sum_pairwise_hops == expected.sum_pairwise_hops);
      CHECK(found.mean_pairwise_hops == Approx(expected.mean_pairwise_hops));
      CHECK(found.components == expected.components);
      CHECK(found.box == expected.box);
      CHECK(found.box_routers == expected.box_routers);
      CHECK(found.surface == expected.surface);
      CHECK(measure.sum_pairwise_hops(nodes) == expected.sum_pairwise_hops);
    }
  }
}

TEST_CASE("Metrics of allocations, by hand") {
  const auto mesh = platforms::make_machine("mesh:4x4");
  Measure measure(mesh);
  // The corners of a square of side 2, and its fourth corner at the far end.
  const auto metrics = measure.all(std::vector<NodeId>{0, 1, 4, 15});
  CHECK(metrics.sum_pairwise_hops == 1 + 1 + 6 + 2 + 5 + 5);
  CHECK(metrics.mean_pairwise_hops == Approx(20.0 / 6));
  CHECK(metrics.components == 2);
  CHECK(metrics.box_routers == 16);
  CHECK(metrics.surface == 6);
  CHECK(measure.all(std::vector<NodeId>{}).components == 0);

  const auto torus = platforms::make_machine("torus:6x4");
  const auto over_the_wrap = Measure(torus).all(std::vector<NodeId>{5, 0});
  CHECK(over_the_wrap.sum_pairwise_hops == 1);
  CHECK(over_the_wrap.components == 1);
  CHECK(over_the_wrap.box[0] == 2);
  CHECK(over_the_wrap.surface == 6);

  // There and back on a one-way ring is once round.
  const auto ring = platforms::make_machine("ring:5");
  CHECK(Measure(ring).sum_pairwise_hops(std::vector<NodeId>{0, 1, 3}) == 7.5);
}

}  // namespace
}  // namespace toroid::alloc
