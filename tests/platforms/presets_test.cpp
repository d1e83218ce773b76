// Every machine that comes with toroid: its routes against breadth-first search, its size and distances against
// formulas and published numbers.

#include "toroid/platforms/load.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "platforms/check.hpp"
#include "platforms/xml.hpp"
#include "tests/platforms/graph.hpp"
#include "tests/support/support.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

NodeId random_node(core::Random& random, const Machine& machine) {
  return NodeId(random.below(static_cast<std::uint64_t>(machine.node_count())));
}

bool is_twisted(const Machine& machine) {
  const auto& all = machine.description().dimensions;
  return std::any_of(all.begin(), all.end(), [](const Dimension& dimension) { return dimension.is_twisted(); });
}

TEST_CASE("Presets come by name, have one line of description and nothing to warn of") {
  std::string last;
  for (const auto& preset : presets()) {
    CAPTURE(preset.name);
    CHECK(last < preset.name);
    last = preset.name;
    const auto checked = check_xml(std::string(preset.xml));
    CHECK(checked.findings.empty());
    CHECK(checked.description.name == preset.name);
    CHECK(checked.description.text.size() > 10);
    CHECK(checked.description.text.size() < 100);
    CHECK(preset.xml.find("<!--") < preset.xml.find("<platform"));  // where its values come from
  }
}

TEST_CASE("A preset is the same machine after it was written and read") {
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    const auto description = describe(name);
    CHECK(parse_xml(xml_text(description), name) == description);
  }
}

TEST_CASE("Routes of presets are as short as breadth-first search finds, and no router is nearer than a hop",
          "[slow]") {
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    const auto machine = make_machine(name);
    const RouterGraph graph(machine.description());
    core::Random random(31, name);
    const int sources = machine.node_count() > 20000 ? 3 : 12;
    for (int i = 0; i < sources; ++i) {
      const auto from = machine.router(random_node(random, machine));
      const auto distance = graph.distances(from);
      RouterId wrong = RouterId::none();
      for (const RouterId to : machine.grid().routers())
        if (machine.grid().hops(from, to) != distance[to]) wrong = to;
      CHECK(wrong == -1);
    }
  }
}

/// What is wrong with the route between two nodes; empty if nothing is.
std::string fault_of_route(const Machine& machine, NodeId from, NodeId to) {
  const auto& grid = machine.grid();
  RouterId here = machine.router(from);
  std::string fault;
  std::int32_t hops = 0;
  grid.for_each_hop(here, machine.router(to), [&](RouterId router, std::size_t d, bool forward) {
    if (router != here) fault = "torn";
    if (!grid.has_neighbour(router, d, forward)) fault = "no link";
    if (!forward && grid.dimension(d).wrap == Wrap::ring) fault = "backward on a one-way ring";
    here = RouterGraph::next(machine.description(), router, d, forward);
    ++hops;
  });
  if (here != machine.router(to)) fault = "does not arrive";
  if (hops != machine.hops(from, to)) fault = "has other hops than it says";
  machine.for_each_link(from, to, [&](LinkId link) {
    if (machine.computes(from) && machine.computes(to) && !machine.link_exists(link)) fault = "missing link";
  });
  return fault;
}

TEST_CASE("Routes of presets go over links, from source to target") {
  for (const auto& name : preset_names()) {
    CAPTURE(name);
    const auto machine = make_machine(name);
    core::Random random(32, name);
    std::string fault;
    for (int i = 0; i < 10000; ++i) {
      const auto from = random_node(random, machine), to = random_node(random, machine);
      if (fault.empty()) fault = fault_of_route(machine, from, to);
    }
    CHECK(fault.empty());
  }
}

TEST_CASE("A preset with its wraps cut routes as before where no wrap was the shorter way") {
  for (const auto& name : preset_names()) {
    const auto torus = make_machine(name);
    if (is_twisted(torus)) continue;
    CAPTURE(name);
    auto description = torus.description();
    for (auto& dimension : description.dimensions) dimension.wrap = Wrap::mesh;
    const Machine mesh(description);
    const auto links = [](const Machine& machine, NodeId from, NodeId to) {
      std::vector<LinkId> all;
      machine.for_each_link(from, to, [&](LinkId link) { all.push_back(link); });
      return all;
    };
    core::Random random(33, name);
    int compared = 0, different = 0;
    for (int i = 0; i < 10000; ++i) {
      const auto from = random_node(random, torus), to = random_node(random, torus);
      bool is_straight = true;
      for (std::size_t d = 0; d < description.dimensions.size(); ++d) {
        const auto step = mesh.grid().coordinate(mesh.router(to), d) - mesh.grid().coordinate(mesh.router(from), d);
        const auto& dimension = torus.grid().dimension(d);
        if (dimension.wrap == Wrap::torus) is_straight &= 2 * std::abs(step) < dimension.extent;
        if (dimension.wrap == Wrap::ring) is_straight &= step >= 0;
      }
      if (!is_straight) continue;
      ++compared;
      if (links(mesh, from, to) != links(torus, from, to)) ++different;
    }
    CHECK(compared > 100);
    CHECK(different == 0);
  }
}

/// Hops along one dimension from a coordinate: the farthest, and the sum over all coordinates, in closed form.
struct Line {
  std::int64_t farthest, sum;
};
Line line_from(const Dimension& dimension, std::int64_t c) {
  const std::int64_t k = dimension.extent;
  const auto up_to = [](std::int64_t n) { return n * (n + 1) / 2; };
  switch (dimension.wrap) {
    case Wrap::mesh:
      return {std::max(c, k - 1 - c), up_to(c) + up_to(k - 1 - c)};
    case Wrap::torus:
      return {k / 2, k * k / 4};  // k^2/4 for even k, (k^2 - 1)/4 for odd
    case Wrap::ring:
      return {k - 1, k * (k - 1) / 2};
  }
  return {};
}

TEST_CASE("Distances in plain presets follow the formulas") {
  for (const auto& name : preset_names()) {
    const auto machine = make_machine(name);
    if (is_twisted(machine)) continue;
    CAPTURE(name);
    const auto& grid = machine.grid();
    core::Random random(34, name);
    for (int i = 0; i < 5; ++i) {
      const auto from = machine.router(random_node(random, machine));
      std::int64_t farthest = 0, sum = 0, expected_farthest = 0, expected_sum = 0;
      for (const RouterId to : grid.routers()) {
        const std::int64_t hops = grid.hops(from, to);
        farthest = std::max(farthest, hops);
        sum += hops;
      }
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
        const auto line = line_from(grid.dimension(d), grid.coordinate(from, d));
        expected_farthest += line.farthest;
        expected_sum += line.sum * (grid.size() / grid.dimension(d).extent);
      }
      CHECK(farthest == expected_farthest);
      CHECK(sum == expected_sum);
    }
  }
}

TEST_CASE("Presets have the sizes and diameters of their machines") {
  struct Known {
    std::int32_t nodes, computing;
    std::int32_t diameter;
  };
  const std::map<std::string, Known> known{{"hpcline", {96, 96, 11 + 7}},
                                           {"redstorm-cabinet", {80, 80, 19 + 3}},
                                           {"redstorm", {10368, 10368, 26 + 15 + 12}},
                                           {"bigben", {2112, 2068, 5 + 6 + 8}},
                                           {"cielo", {9216, 9216, 8 + 6 + 12}},
                                           {"titan", {19200, 19200, 12 + 8 + 12}},
                                           {"bluegene-l", {65536, 65536, 32 + 16 + 16}},
                                           {"mira", {49152, 49152, 4 + 6 + 8 + 8 + 1}},
                                           {"bluegene-q", {98304, 98304, 8 + 6 + 8 + 8 + 1}},
                                           {"k", {88128, 82944, 12 + 9 + 8 + 1 + 1 + 1}},
                                           {"fugaku", {158976, 158976, 12 + 11 + 12 + 1 + 1 + 1}},
                                           {"fugaku-mpi", {158976, 158976, 12 + 11 + 12 + 1 + 1 + 1}},
                                           {"tpu-v4-2x2x4", {16, 16, 1 + 1 + 3}},
                                           {"tpu-v4-4x4x4", {64, 64, 6}},
                                           {"tpu-v4-4x4x8", {128, 128, 8}},
                                           {"tpu-v4-4x8x8", {256, 256, 10}},
                                           {"tpu-v4-8x8x8", {512, 512, 12}},
                                           {"tpu-v4-16x16x16", {4096, 4096, 24}},
                                           {"tpu-v4-4x4x8-twisted", {128, 128, 6}},
                                           {"tpu-v4-4x8x8-twisted", {256, 256, 6}},
                                           {"tpu-v4-8x8x16-twisted", {1024, 1024, 12}}};
  CHECK(known.size() == presets().size());
  for (const auto& [name, expected] : known) {
    CAPTURE(name);
    const auto machine = make_machine(name);
    CHECK(machine.node_count() == expected.nodes);
    CHECK(static_cast<std::int32_t>(machine.compute_nodes().size()) == expected.computing);
    // Corner 0 is as far from some router as any router is from any.
    std::int32_t diameter = 0;
    for (const RouterId to : machine.grid().routers()) diameter = std::max(diameter, machine.grid().hops(0, to));
    CHECK(diameter == expected.diameter);
  }
}

TEST_CASE("Latencies between neighbours and across presets are the published ones") {
  const auto nearest_and_farthest = [](const std::string& name) {
    const auto machine = make_machine(name);
    double farthest = 0;
    for (const NodeId to : machine.nodes()) farthest = std::max(farthest, machine.latency(0, to));
    const auto neighbour = machine.first_node(machine.grid().neighbour(machine.router(0), 0, true));
    return std::pair(1e6 * machine.latency(0, neighbour), 1e6 * farthest);
  };
  const auto redstorm = nearest_and_farthest("redstorm");
  CHECK(redstorm.first == Approx(2).epsilon(1e-3));
  CHECK(redstorm.second == Approx(5).epsilon(1e-3));
  const auto titan = nearest_and_farthest("titan");
  CHECK(titan.first == Approx(1.5).epsilon(1e-3));
  CHECK(titan.second == Approx(3.96).epsilon(1e-3));
  CHECK(nearest_and_farthest("bluegene-q").second == Approx(3).epsilon(1e-3));
  const auto hopper = nearest_and_farthest("cielo:shape=17x8x24,y.exceptions=none,z.exceptions=none");
  CHECK(hopper.first == Approx(1.27).epsilon(1e-3));
  CHECK(hopper.second == Approx(3.88).epsilon(1e-3));
}

TEST_CASE("On Gemini a message gets what MPI was measured to get, by where its links lie") {
  const auto machine = make_machine("titan");
  const auto& grid = machine.grid();
  const auto bandwidth = [&](const Coordinates& from, const Coordinates& to) {
    return 1e-9 *
           machine.route_bandwidth(machine.first_node(grid.router_at(from)), machine.first_node(grid.router_at(to)));
  };
  CHECK(bandwidth({3, 5, 7}, {4, 5, 7}) == Approx(5.87).epsilon(0.03));   // x
  CHECK(bandwidth({3, 5, 7}, {3, 6, 7}) == Approx(3.47).epsilon(1e-9));   // y between pairs
  CHECK(bandwidth({3, 15, 7}, {3, 0, 7}) == Approx(3.47).epsilon(1e-9));  // the wrap too
  CHECK(bandwidth({3, 5, 4}, {3, 5, 5}) == Approx(6.09).epsilon(0.03));   // z
  const auto link = [&](const Coordinates& from, std::size_t d, bool forward) {
    return 1e-9 * machine.link_bandwidth(grid.link(grid.router_at(from), d, forward));
  };
  for (const bool forward : {true, false}) {  // of the two routers that a link joins, each names it
    CHECK(link({0, forward ? 4 : 5, 0}, 1, forward) == Approx(6.94));
    CHECK(link({0, forward ? 5 : 6, 0}, 1, forward) == Approx(3.47));
    CHECK(link({0, 0, forward ? 3 : 4}, 2, forward) == Approx(11.1));
    CHECK(link({0, 0, forward ? 7 : 8}, 2, forward) == Approx(6.94));
    CHECK(link({0, 0, forward ? 23 : 0}, 2, forward) == Approx(6.94));
  }
  // 120 : 75 : 37.5 Gbit/s
  CHECK(11.1 / 6.94 == Approx(120 / 75.0).epsilon(1e-3));
  CHECK(6.94 / 3.47 == Approx(75 / 37.5).epsilon(1e-3));
  CHECK(3.47 / 4.6875 == Approx(0.74).epsilon(1e-3));
}

}  // namespace
}  // namespace toroid::platforms
