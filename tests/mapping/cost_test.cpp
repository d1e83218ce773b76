#include <catch2/catch.hpp>

#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

/// The TD distance between two nodes of a machine.
double td(const std::string& platform, NodeId from, NodeId to) {
  const auto machine = make_machine(platform);
  const std::vector<NodeId> slots{from, to};
  return SlotDistances(machine, slots, td_distance)(0, 1);
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
  std::vector<NodeId> slots(static_cast<std::size_t>(machine.node_count()));
  std::iota(slots.begin(), slots.end(), 0);
  REQUIRE(slots.size() > SlotDistances::table_limit);
  const SlotDistances large(machine, slots, classic_distance);
  for (std::size_t i = 0; i < slots.size(); i += 7) CHECK(large(i, 100) == machine.hops(slots[i], 100));
}

TEST_CASE("Cost and its change by a swap equal the definition") {
  core::Random random(1, "cost");
  for (const std::string platform : {"mesh:4x4", "torus:5x4", "ring:4x5", "torus:3x3x3", "ring:17", "mesh:2x3x2x2"})
    for (const std::string name : {"classic", "td"})
      for (const std::size_t per_node : {1, 3})
        for (const std::size_t empty : {0, 5}) {
          CAPTURE(platform, name, per_node, empty);
          const auto machine = make_machine(platform);
          const auto matrix = random_matrix(random, 11, random.unit());
          const auto slots = random_slots(random, machine, 11 + empty, per_node);
          const auto distance = distances().find(core::Spec::parse(name)).make;
          const QuadraticCost cost(matrix, SlotDistances(machine, slots, distance));
          auto slot_of = random_assignment(random, slots.size());
          const auto definition = [&] {
            std::vector<NodeId> nodes;
            for (std::size_t r = 0; r < 11; ++r) nodes.push_back(slots[static_cast<std::size_t>(slot_of[r])]);
            return cost_by_definition(matrix, machine.grid(), nodes, name == "td");
          };
          for (int i = 0; i < 50; ++i) {
            const auto a = random.below(slots.size()), b = random.below(slots.size());
            const double before = definition();
            const double delta = cost.swap_delta(slot_of, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
            std::swap(slot_of[a], slot_of[b]);
            REQUIRE(definition() == before + delta);
            REQUIRE(cost.total(slot_of) == definition());
          }
          for (std::int32_t r = 0; r < static_cast<std::int32_t>(slots.size()); ++r) {
            std::vector<double> on_slot;
            cost.on_each_slot(slot_of, r, on_slot);
            REQUIRE(on_slot[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(r)])] ==
                    cost.of_rank(slot_of, r));
          }
        }
}

TEST_CASE("A matrix without rows or bytes costs nothing") {
  const auto machine = make_machine("mesh:2x2");
  const std::vector<NodeId> slots{0, 1, 2};
  const SlotDistances between(machine, slots, td_distance);
  CHECK(QuadraticCost({}, between).total({2, 1, 0}) == 0);
  CHECK(QuadraticCost({{{}, {{0, 0, 5}}}}, between).total({2, 1, 0}) == 0);
  CHECK(QuadraticCost({{{{0, 100, 1}}}}, between).swap_delta({2, 1, 0}, 0, 1) == 0);  // to itself
}

}  // namespace
}  // namespace toroid::mapping
