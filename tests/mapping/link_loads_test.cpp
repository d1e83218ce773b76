#include "mapping/costs/link_loads.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "mapping/mapper.hpp"
#include "mapping/search/search_mapper.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "workloads/trace.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

const std::vector<std::string> platforms_tried{"mesh:4x5", "torus:4x4", "ring:4x5",
                                               "torus:3x3x3,injection=2GBps,ejection=1GBps",
                                               "mesh:4x4x2,bw=1GBps/3GBps/7GBps"};

TEST_CASE("The peak and its change by a swap equal a count from scratch") {
  core::Random random(1, "loads");
  for (const auto& platform : platforms_tried)
    for (const std::size_t per_node : {1, 3})
      for (const std::size_t empty : {0, 4}) {
        CAPTURE(platform, per_node, empty);
        const auto machine = make_machine(platform);
        const auto matrix = random_matrix(random, 11, 0.3);
        const auto slots = random_slots(random, machine, 11 + empty, per_node);
        LinkLoads loads(TrafficGraph(matrix), machine, slots, random_assignment(random, slots.size()));
        for (int i = 0; i < 60; ++i) {
          const Rank a(random.below(slots.size())), b(random.below(slots.size()));
          const auto before = loads.peak();
          const auto expected = loads.peak_after(a, b);
          CHECK(loads.peak().seconds == before.seconds);
          loads.swap(a, b);
          const LinkLoads afresh(TrafficGraph(matrix), machine, slots, loads.placement().slot_of());
          for (const auto& peak : {loads.peak(), expected}) {
            REQUIRE(peak.seconds == afresh.peak().seconds);
            REQUIRE(peak.links == afresh.peak().links);
            REQUIRE(peak.squares == Approx(afresh.peak().squares));
          }
          for (const LinkId link : machine.links()) REQUIRE(loads.bytes(link) == afresh.bytes(link));
        }
      }
}

TEST_CASE("The loads are those that the simulator reports") {
  core::Random random(2, "simulated");
  for (const auto& platform : platforms_tried) {
    CAPTURE(platform);
    const auto machine = make_machine(platform);
    const auto trace = workloads::open_trace("stencil:grid=4x4,bytes=1000,steps=2");
    const auto nodes = random_slots(random, machine, 16, 1);
    const LinkLoads loads(TrafficGraph(workloads::communication_matrix(*trace, {})), machine, nodes, in_order(16));
    double most = 0;
    for (const LinkId link : machine.links()) most = std::max(most, loads.bytes(link));
    CHECK(most > 0);
    CHECK(test::simulate(platform, *trace, {}, Mapping(nodes))["max_link_load_bytes"].get<double>() == most);
  }
}

TEST_CASE("A slow link is more loaded than a fast one with as many bytes") {
  const auto machine = make_machine("mesh:2x2,bw=4GBps/1GBps");
  CommunicationMatrix matrix{{{{1, 1000, 1}, {2, 1000, 1}}, {}, {}, {}}};
  const std::vector<NodeId> slots{0, 1, 2, 3};
  const LinkLoads loads(TrafficGraph(matrix), machine, slots, {0, 1, 2, 3});
  CHECK(loads.peak().seconds == 1e-6);
  CHECK(loads.peak().links == 1);
  REQUIRE(loads.most_loaded().size() == 1);
  CHECK(machine.link_name(loads.most_loaded()[0]) == "n0 -> n2 (+y)");
  CHECK(loads.ranks_across(loads.most_loaded()[0]) == std::vector<Rank>{0, 2});
}

TEST_CASE("Without messages between nodes there is no peak") {
  const auto machine = make_machine("mesh:2x2");
  const std::vector<NodeId> slots{1, 1, 2};
  LinkLoads loads(TrafficGraph(CommunicationMatrix{{{{1, 10, 1}}, {{0, 0, 3}}}}), machine, slots, {0, 1, 2});
  CHECK(loads.peak().links == 0);
  CHECK(loads.most_loaded().empty());
  CHECK(loads.peak_after(0, 2).links == 2);
}

TEST_CASE("minmaxload never ends above its base, and mostly far below random mappings") {
  core::Random random(3, "relief");
  for (const auto& platform : platforms_tried) {
    CAPTURE(platform);
    const auto machine = make_machine(platform);
    const Traffic traffic(random_matrix(random, 16, 0.15));
    const MappingProblem problem{machine, all_nodes(machine), traffic, 3};
    const auto peak = [&](const std::string& spec) {
      return LinkLoads(TrafficGraph(traffic.matrix()), machine, problem.slots,
                       assignment_of(make_mapping(spec, problem), problem.slots))
          .peak()
          .seconds;
    };
    CHECK(peak("minmaxload") <= peak("refine:cost=weighted"));
    if (!machine.limits_injection())  // what one rank sends leaves its node, wherever that is
      CHECK(peak("minmaxload:base=(random)") < peak("random"));
    CHECK(peak("minmaxload:base=(random),swaps=0") == peak("random"));
  }
}

TEST_CASE("minmaxload comes close to the least possible peak of small problems") {
  core::Random random(4, "least");
  for (const std::string platform : {"mesh:3x2", "torus:6", "ring:3x2"}) {
    CAPTURE(platform);
    const auto machine = make_machine(platform);
    const Traffic traffic(random_matrix(random, 6, 0.5));
    const auto peak = [&](const Mapping& nodes) {
      const auto slots = all_nodes(machine);
      return LinkLoads(TrafficGraph(traffic.matrix()), machine, slots, assignment_of(nodes, slots)).peak().seconds;
    };
    Mapping nodes(all_nodes(machine));
    double least = peak(nodes);
    while (std::next_permutation(nodes.begin(), nodes.end())) least = std::min(least, peak(nodes));
    double reached = std::numeric_limits<double>::infinity();
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      reached = std::min(reached,
                         peak(make_mapping("minmaxload:base=(random)", {machine, all_nodes(machine), traffic, seed})));
    CHECK(reached == least);
  }
}

}  // namespace
}  // namespace toroid::mapping
