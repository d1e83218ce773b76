#include "mapping/costs/swapped_loads.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "mapping/costs/quadratic_cost.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

SwappedLoads loads_of(const workloads::CommunicationMatrix& matrix, const Machine& machine,
                      const std::vector<NodeId>& slots, const Assignment& slot_of,
                      Routing routing = Routing::dimension_order) {
  return {TrafficGraph(matrix), Routes(machine, routing), slots, slot_of};
}

TEST_CASE("Loads, messages and changes through swaps equal a count from scratch", "[slow]") {
  core::Random random(1, "loads");
  for (const auto& platform : platforms_tried)
    for (const auto routing : {Routing::dimension_order, Routing::adaptive, Routing::longest_first})
      for (const std::size_t per_node : {1, 3})
        for (const std::size_t empty : {0, 4}) {
          CAPTURE(platform, per_node, empty);
          const auto machine = make_machine(platform);
          const auto matrix = random_matrix(random, 11, 0.3);
          const auto slots = random_slots(random, machine, 11 + empty, per_node);
          auto loads = loads_of(matrix, machine, slots, random_assignment(random, slots.size()), routing);
          for (int i = 0; i < 60; ++i) {
            const Rank a(random.below(slots.size())), b(random.below(slots.size()));
            core::IdVector<LinkId, double> expected;
            for (const LinkId link : machine.links()) expected.add(loads.bytes(link));
            for (const auto& change : loads.changes(a, b)) expected[change.link] += change.bytes;
            const double squares = loads.change_of_squares(a, b);
            loads.swap(a, b);
            const auto afresh = loads_of(matrix, machine, slots, loads.placement().slot_of(), routing);
            REQUIRE(loads.peak() == afresh.peak());
            double sum_of_squares = 0;
            for (const LinkId link : machine.links()) {
              REQUIRE(loads.bytes(link) == afresh.bytes(link));
              REQUIRE(expected[link] == afresh.bytes(link));
              auto now = loads.messages_on(link), then = afresh.messages_on(link);
              std::sort(now.begin(), now.end());
              std::sort(then.begin(), then.end());
              REQUIRE(now == then);
              REQUIRE(loads.ranks_across(link) == afresh.ranks_across(link));
              sum_of_squares += afresh.seconds(link) * afresh.seconds(link);
            }
            loads.swap(a, b);
            for (const LinkId link : machine.links()) sum_of_squares -= loads.seconds(link) * loads.seconds(link);
            loads.swap(a, b);
            CHECK(squares == Approx(sum_of_squares).margin(1e-25));
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
    const auto loads = loads_of(workloads::communication_matrix(*trace, {}), machine, nodes, in_order(16));
    double most = 0;
    for (const LinkId link : machine.links()) most = std::max(most, loads.bytes(link));
    CHECK(most > 0);
    const auto json = test::simulate(platform, *trace, {}, Mapping(nodes));
    CHECK(std::max(json["max_link_load_bytes"].get<double>(), json["max_port_load_bytes"].get<double>()) == most);
  }
}

TEST_CASE("With adaptive routes half of each message goes along each order of the dimensions") {
  const auto machine = make_machine("mesh:3x3");
  const workloads::CommunicationMatrix matrix{{{{1, 1000, 1}}, {}}};
  const std::vector<NodeId> slots{0, 8};
  const auto loads = loads_of(matrix, machine, slots, in_order(2), Routing::adaptive);
  std::map<std::string, double> carried;
  for (const LinkId link : machine.links())
    if (loads.bytes(link) > 0) carried[machine.link_name(link)] = loads.bytes(link);
  CHECK(carried == std::map<std::string, double>{{"n0 -> n1 (+x)", 500},
                                                 {"n1 -> n2 (+x)", 500},
                                                 {"n2 -> n5 (+y)", 500},
                                                 {"n5 -> n8 (+y)", 500},
                                                 {"n0 -> n3 (+y)", 500},
                                                 {"n3 -> n6 (+y)", 500},
                                                 {"n6 -> n7 (+x)", 500},
                                                 {"n7 -> n8 (+x)", 500}});
}

TEST_CASE("With the longest dimensions first half of each message goes along each order of those that are as long") {
  const auto machine = make_machine("mesh:2x3x3");
  const workloads::CommunicationMatrix matrix{{{{1, 1000, 1}}, {}}};
  const auto loads = loads_of(matrix, machine, {0, 10}, in_order(2), Routing::longest_first);  // 0 0 0 to 0 2 1
  std::map<std::string, double> carried;
  for (const LinkId link : machine.links())
    if (loads.bytes(link) > 0) carried[machine.link_name(link)] = loads.bytes(link);
  CHECK(carried == std::map<std::string, double>{{"n0 -> n2 (+y)", 500},
                                                 {"n2 -> n4 (+y)", 500},
                                                 {"n4 -> n10 (+z)", 500},
                                                 {"n0 -> n6 (+z)", 500},
                                                 {"n6 -> n8 (+y)", 500},
                                                 {"n8 -> n10 (+y)", 500}});
  const auto beside = loads_of(matrix, machine, {0, 3}, in_order(2), Routing::longest_first);  // x last, at once
  CHECK(beside.bytes(machine.grid().link(platforms::RouterId(0), 1, true)) == 1000);
  CHECK(beside.bytes(machine.grid().link(platforms::RouterId(0), 0, true)) == 0);
}

TEST_CASE("A slow link is more loaded than a fast one with as many bytes") {
  const auto machine = make_machine("mesh:2x2,bw=4GBps/1GBps");
  const workloads::CommunicationMatrix matrix{{{{1, 1000, 1}, {2, 1000, 1}}, {}, {}, {}}};
  const std::vector<NodeId> slots{0, 1, 2, 3};
  const auto loads = loads_of(matrix, machine, slots, {0, 1, 2, 3});
  CHECK(loads.peak() == Approx(1e-6));
  for (const LinkId link : machine.links())
    if (loads.seconds(link) == loads.peak()) {
      CHECK(machine.link_name(link) == "n0 -> n2 (+y)");
      CHECK(loads.ranks_across(link) == std::vector<Rank>{0, 2});
    }
}

TEST_CASE("Without messages between nodes there is no load") {
  const auto machine = make_machine("mesh:2x2,cores=2");
  const std::vector<NodeId> slots{1, 1, 2};
  auto loads = loads_of(workloads::CommunicationMatrix{{{{1, 10, 1}}, {{0, 0, 3}}}}, machine, slots, {0, 1, 2});
  CHECK(loads.peak() == 0);
  CHECK(loads.changes(0, 2).size() == 2);
}

}  // namespace
}  // namespace toroid::mapping
