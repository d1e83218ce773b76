#include "cosim/shape.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "core/random.hpp"
#include "cosim/jobs_csv.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {
namespace {

/// Hops of all pairs, one by one.
double pairwise_hops(const Machine& machine, const std::vector<NodeId>& nodes) {
  double sum = 0;
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      sum += (machine.hops(nodes[a], nodes[b]) + machine.hops(nodes[b], nodes[a])) / 2.0;
  return sum;
}

/// Neighbours by the links that there are; each pair of routers once per side on which they meet.
std::multiset<std::pair<RouterId, RouterId>> joined(const Machine& machine) {
  std::multiset<std::pair<RouterId, RouterId>> pairs;
  const auto& grid = machine.grid();
  for (platforms::LinkId link = 0; link < grid.link_count(); ++link)
    if (machine.link_exists(link) && grid.link_is_forward(link)) {
      const auto a = grid.link_source(link), b = grid.link_target(link);
      pairs.insert({a, b});
      pairs.insert({b, a});
    }
  return pairs;
}

void check(const Machine& machine, ShapeMeter& meter, const std::vector<NodeId>& nodes) {
  const auto shape = meter.measure(nodes);
  CHECK(shape.pairwise_hops == pairwise_hops(machine, nodes));
  std::set<RouterId> routers;
  for (const NodeId node : nodes) routers.insert(machine.router(node));
  const auto pairs = joined(machine);
  std::int32_t surface = 0, components = 0;
  for (const auto& [a, b] : pairs) surface += routers.contains(a) && !routers.contains(b) ? 1 : 0;
  for (std::set<RouterId> left = routers; !left.empty(); ++components) {
    std::vector<RouterId> stack{*left.begin()};
    left.erase(left.begin());
    while (!stack.empty()) {
      const auto router = stack.back();
      stack.pop_back();
      for (const auto& [a, b] : pairs)
        if (a == router && left.erase(b) > 0) stack.push_back(b);
    }
  }
  CHECK(shape.components == components);
  CHECK(shape.surface == surface);
}

std::vector<NodeId> some_nodes(const Machine& machine, core::Random& random) {
  std::vector<NodeId> nodes(machine.compute_nodes().begin(), machine.compute_nodes().end());
  random.shuffle(nodes);
  nodes.resize(random.below(std::min<std::size_t>(nodes.size(), 20)) + 1);
  return nodes;
}

TEST_CASE("Pairwise hops, components and surface are those that counting one by one gives") {
  for (const std::string platform :
       {"mesh:7x5", "torus:6x5", "torus:4x3x5", "ring:5x4", "mesh:4x4,nodes-per-router=2", "torus:9", "mesh:1x8",
        "torus:6x6,fail-link=3-4", "mesh:6x6,fail-node=7", "torus:8x4,x.twist=y+2"}) {
    INFO(platform);
    std::optional<Machine> machine;
    try {
      machine.emplace(platforms::make_machine(platform));
    } catch (const core::InputError& error) {
      FAIL(error.what());
    }
    ShapeMeter meter(*machine);
    core::Random random(1, platform);
    for (int i = 0; i < 40; ++i) check(*machine, meter, some_nodes(*machine, random));
  }
}

TEST_CASE("A box goes around an allocation, across the wrap where that is less") {
  const auto mesh = platforms::make_machine("mesh:8x8"), torus = platforms::make_machine("torus:8x8");
  ShapeMeter on_mesh(mesh), on_torus(torus);
  const auto box = [](ShapeMeter& meter, const std::vector<NodeId>& nodes) { return meter.measure(nodes).box; };
  CHECK(box(on_mesh, {0}) == 1);
  CHECK(box(on_mesh, {0, 7}) == 8);
  CHECK(box(on_torus, {0, 7}) == 2);
  CHECK(box(on_mesh, {0, 63}) == 64);
  CHECK(box(on_torus, {0, 63}) == 4);
  CHECK(box(on_torus, {0, 3, 6}) == 6);
  CHECK(box(on_mesh, {9, 10, 17, 18}) == 4);
  CHECK(on_mesh.measure(std::vector<NodeId>{9, 10, 17, 18}).surface == 8);
  CHECK(on_mesh.measure(std::vector<NodeId>{9, 10, 17, 18}).pairwise_hops == 8);
  CHECK(on_mesh.measure(std::vector<NodeId>{9, 18}).components == 2);
  CHECK(on_mesh.measure({}).components == 0);
}

TEST_CASE("Intervals of node numbers are written as Batsim does") {
  CHECK(interval_set({}).empty());
  CHECK(interval_set(std::vector<NodeId>{5}) == "5");
  CHECK(interval_set(std::vector<NodeId>{8, 0, 2, 1, 3}) == "0-3 8");
  CHECK(interval_set(std::vector<NodeId>{2, 0, 4, 5}) == "0 2 4-5");
}

}  // namespace
}  // namespace toroid::cosim
