#include <catch2/catch.hpp>

#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

std::vector<NodeId> mapping_nodes(const Machine& machine) {
  return {machine.nodes().begin(), machine.nodes().end()};
}

/// The TD distance between two nodes of a machine.
double td(const std::string& platform, NodeId from, NodeId to, Distance distance = td_distance) {
  const auto machine = make_machine(platform);
  const std::vector<NodeId> slots{from, to};
  return SlotCosts(machine, slots, distance)(0, 1);
}

TEST_CASE("Equation 7 as it is printed counts dimensions that are not there as 0 hops") {
  CHECK(td("mesh:8x8", 0, 1, td_eq7_distance) == 3);       // 2 * 1 + |1-0|
  CHECK(td("mesh:8x8", 0, 9, td_eq7_distance) == 4);       // 2 * 2 + |1-1|
  CHECK(td("mesh:8x8", 0, 8 + 3, td_eq7_distance) == 10);  // 2 * 4 + |3-1|
  CHECK(td("mesh:8x1x8", 0, 8 + 3, td_eq7_distance) == 10);
  CHECK(td("mesh:8", 0, 5, td_eq7_distance) == 15);  // 5 + |5-0| + |5-0|
  CHECK(td("mesh:8x8x8", 0, 1 + 2 * 8 + 3 * 64, td_eq7_distance) == 10);
  CHECK(td("mesh:3x3x3x3", 0, 1, td_eq7_distance) == 4);
}

TEST_CASE("TD distance in 2-D: hops and their difference") {
  CHECK(td("mesh:8x8", 0, 0) == 0);
  CHECK(td("mesh:8x8", 0, 1) == 2);       // 1 + |1-0|
  CHECK(td("mesh:8x8", 0, 9) == 2);       // 2 + |1-1|
  CHECK(td("mesh:8x8", 0, 7) == 14);      // 7 + |7-0|
  CHECK(td("mesh:8x8", 0, 8 + 3) == 6);   // 4 + |3-1|
  CHECK(td("mesh:8x8", 63, 0) == 14);     // 14 + |7-7|
  CHECK(td("torus:8x8", 0, 7) == 2);      // one hop, the other way round
  CHECK(td("torus:8x8", 0, 5 * 8) == 6);  // 3 + |0-3|
  CHECK(td("ring:8x8", 0, 7) == 14);
  CHECK(td("ring:8x8", 7, 0) == 2);
}

TEST_CASE("TD distance in 3-D: the paper's example, six hops on one axis or two on each") {
  CHECK(td("mesh:8x8x8", 0, 6) == 18);  // 6 + |6-0| + |6-0| + |0-0|
  CHECK(td("mesh:8x8x8", 0, 2 + 2 * 8 + 2 * 64) == 6);
  CHECK(td("mesh:8x8x8", 0, 1 + 2 * 8 + 3 * 64) == 10);  // 6 + |1-2| + |1-3| + |2-3|
}

TEST_CASE("TD distance in n-D; dimensions of extent 1 do not count") {
  CHECK(td("mesh:8", 0, 5) == 5);
  CHECK(td("mesh:3x3x3x3", 0, 1) == 4);  // 1 + 3 * |1-0|
  CHECK(td("mesh:8x1x8", 0, 8 + 3) == td("mesh:8x8", 0, 8 + 3));
}

TEST_CASE("Distances are the same with and without a table") {
  const auto machine = make_machine("torus:17x16x17");
  const auto slots = mapping_nodes(machine);
  REQUIRE(slots.size() > SlotCosts::table_limit);
  const SlotCosts large(machine, slots, classic_distance);
  for (std::size_t i = 0; i < slots.size(); i += 7) CHECK(large(Slot(i), 100) == machine.hops(slots[i], 100));
}

TEST_CASE("Every distance on many nodes is that of the hops along each dimension") {
  core::Random random(8, "many nodes");
  for (const std::string platform :
       {"torus:9x8x8,wrap=torus/mesh/ring,bw=4GBps/1GBps/2GBps", "mesh:24x24,bw=1GBps/3GBps", "torus:5x1x6x5x4",
        "torus:24x24,x.twist=y+4", "torus:24x24,fail-link=(0-1 7-8)", "torus:12x12x4,nodes=2"}) {
    const auto machine = make_machine(platform);
    const auto slots = random_slots(random, machine, 520, 1);
    REQUIRE(slots.size() > SlotCosts::table_limit);
    for (const auto& entry : distances().entries()) {
      CAPTURE(platform, entry.name);
      const SlotCosts costs(machine, slots, entry.make);
      core::IdVector<Slot, double> row(slots.size(), 1);
      costs.add_row(7, 2, row);
      for (std::size_t i = 0; i < slots.size(); i += 13) {
        const auto expected = static_cast<float>(entry.make(machine, machine.hops_per_dimension(slots[7], slots[i])));
        REQUIRE(costs(7, Slot(i)) == expected);
        REQUIRE(row[Slot(i)] == 1 + 2 * static_cast<double>(expected));
      }
    }
  }
}

TEST_CASE("By the classic distance a byte costs the hops between two slots") {
  core::Random random(6, "classic");
  for (const std::string platform : {"mesh:5x3", "torus:5x4", "ring:4x5", "torus:4x3x2,wrap=torus/mesh/ring",
                                     "torus:4x4,nodes=2", "torus:5x5,fail-link=(0-1 7-8)"}) {
    const auto machine = make_machine(platform);
    const auto slots = random_slots(random, machine, 15, 2);
    const SlotCosts costs(machine, slots, classic_distance);
    const SlotHops hops(machine, slots);
    for (const Slot from : hops.slots())
      for (const Slot to : hops.slots()) REQUIRE(costs(from, to) == hops(from, to));
  }
}

/// The weighted distance by its definition.
double weighted_by_definition(const Machine& machine, NodeId from, NodeId to) {
  double seconds = 0, fastest = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) {
    fastest = std::max(fastest, machine.grid().dimension(d).bandwidth);
    seconds += machine.hops_per_dimension(from, to)[d] / machine.grid().dimension(d).bandwidth;
  }
  return fastest * seconds;
}

TEST_CASE("Weighted hops cost more along slow dimensions, and equal hops where all are alike") {
  const auto unequal = make_machine("torus:4x4x4,bw=4GBps/1GBps/2GBps");
  const auto equal = make_machine("torus:4x4x4,bw=3GBps");
  const auto slots = mapping_nodes(unequal);
  const SlotCosts on_unequal(unequal, slots, weighted_distance), on_equal(equal, slots, weighted_distance);
  CHECK(on_unequal(0, 1) == 1);
  CHECK(on_unequal(0, 4) == 4);
  CHECK(on_unequal(0, 16) == 2);
  CHECK(on_unequal(0, 2 + 4 + 48) == 2 + 4 + 2);
  for (const Slot to : on_equal.slots()) CHECK(on_equal(5, to) == equal.hops(5, slots[to.index()]));
  // A dimension without links is the fastest of no link.
  CHECK(SlotCosts(make_machine("mesh:4x1,bw=1GBps/9GBps"), std::vector<NodeId>{0, 1}, weighted_distance)(0, 1) == 1);
}

TEST_CASE("Near slots: those of the node, then those around; of a machine with gaps too") {
  const auto machine = make_machine("torus:4x4");
  const std::vector<NodeId> slots{0, 0, 1, 3, 4, 12, 10};
  const NearSlots near(machine, slots);
  const auto of = [&](Slot slot) { return std::vector<Slot>(near(slot).begin(), near(slot).end()); };
  CHECK(of(0) == std::vector<Slot>{0, 1, 2, 3, 4, 5});
  CHECK(of(1) == of(0));
  CHECK(of(6).front() == 6);
  CHECK(of(6).size() == 5);  // nodes 1, 3, 4 and 12 are all three links away
}

TEST_CASE("Cost and its change by a swap equal the definition") {
  core::Random random(1, "cost");
  for (const std::string platform :
       {"mesh:4x4", "torus:5x4", "ring:4x5", "torus:3x3x3", "ring:17", "mesh:2x3x2x2",
        "torus:4x4x2,bw=1GBps/3GBps/7GBps", "torus:4x8,x.twist=y+4", "torus:4x8,x.twist=y+4,bw=1GBps/3GBps"})
    for (const auto& entry : distances().entries())
      for (const std::size_t per_node : {1, 3})
        for (const std::size_t empty : {0, 5}) {
          CAPTURE(platform, entry.name, per_node, empty);
          const auto machine = make_machine(platform);
          const auto matrix = random_matrix(random, 11, random.unit());
          const auto slots = random_slots(random, machine, 11 + empty, per_node);
          const QuadraticCost cost(TrafficGraph(matrix), SlotCosts(machine, slots, entry.make));
          // Weights such as 7/3 are rounded to single precision once, and sums of them in double.
          const double precision = entry.name == "weighted" ? 1e-6 : 0;
          const auto is = [&](double expected) { return Approx(expected).epsilon(precision).margin(1e-9); };
          auto slot_of = random_assignment(random, slots.size());
          const auto definition = [&] {
            const Mapping nodes = mapping_of(slot_of, slots, 11);
            if (entry.name == "td-eq7") return cost_by_definition(matrix, machine, nodes, true, 3);
            if (entry.name != "weighted") return cost_by_definition(matrix, machine, nodes, entry.name == "td");
            double sum = 0;
            for (const auto from : matrix.rows.ids())
              for (const auto& cell : matrix.rows[from])
                sum += static_cast<double>(cell.bytes) * weighted_by_definition(machine, nodes[from], nodes[cell.to]);
            return sum;
          };
          for (int i = 0; i < 50; ++i) {
            const Rank a(random.below(slots.size())), b(random.below(slots.size()));
            const double before = cost.total(slot_of);
            const double delta = cost.swap_delta(slot_of, a, b);
            std::swap(slot_of[a], slot_of[b]);
            REQUIRE(cost.total(slot_of) == Approx(before + delta).epsilon(precision * 1e-6).margin(1e-9));
            REQUIRE(cost.total(slot_of) == is(definition()));
          }
          for (const Rank rank : slot_of.ids()) {
            core::IdVector<Slot, double> on_slot;
            cost.on_each_slot(slot_of, rank, on_slot);
            REQUIRE(on_slot[slot_of[rank]] == cost.of_rank(slot_of, rank));
          }
        }
}

TEST_CASE("A matrix without rows or bytes costs nothing") {
  const auto machine = make_machine("mesh:2x2");
  const std::vector<NodeId> slots{0, 1, 2};
  const SlotCosts between(machine, slots, td_distance);
  CHECK(QuadraticCost(TrafficGraph(CommunicationMatrix{}), between).total({2, 1, 0}) == 0);
  CHECK(QuadraticCost(TrafficGraph(CommunicationMatrix{{{}, {{0, 0, 5}}}}), between).total({2, 1, 0}) == 0);
  CHECK(QuadraticCost(TrafficGraph(CommunicationMatrix{{{{0, 100, 1}}}}), between).swap_delta({2, 1, 0}, 0, 1) ==
        0);  // to itself
}

}  // namespace
}  // namespace toroid::mapping
