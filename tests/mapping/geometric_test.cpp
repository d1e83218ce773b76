#include <catch2/catch.hpp>
#include <set>

#include "mapping/geometric/geometric_mapper.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {
namespace {

using test::error_of;

TEST_CASE("Hops between slots are those of the machine") {
  core::Random random(1, "hops");
  for (const std::string spec :
       {"mesh:5", "torus:6x1x5", "ring:7x4", "torus:4x5x3,wrap=torus/mesh/ring", "mesh:2x2x2x2x2x2x2x2", "mesh:1x1",
        "torus:4x8,x.twist=y+4", "torus:5x5,fail-link=(0-1 7-8)", "torus:4x4,nodes=2"}) {
    CAPTURE(spec);
    const auto machine = roomy_machine(spec);
    const auto slots = random_slots(random, machine, std::min(20, 2 * machine.node_count()), 2);
    const SlotHops hops(machine, slots);
    core::IdVector<Slot, std::int32_t> row;
    for (const Slot a : hops.slots()) {
      if (hops.symmetric()) hops.from(a, row);
      for (const Slot b : hops.slots()) {
        REQUIRE(hops(a, b) == machine.hops(slots[a.index()], slots[b.index()]));
        if (hops.symmetric()) REQUIRE(row[b] == hops(a, b));
      }
    }
  }
}

TEST_CASE("Compact slots are near each other and as many as asked for") {
  const auto machine = roomy_machine("mesh:9x9");
  // Three corners of two nodes, the centre and its four neighbours.
  const std::vector<NodeId> slots{0, 1, 7, 8, 72, 73, 40, 31, 39, 41, 49};
  const SlotHops hops(machine, slots);
  CHECK(compact_slots(hops, 5) == std::vector<Slot>{6, 7, 8, 9, 10});
  CHECK(compact_slots(hops, 11).size() == 11);
  const SlotHops doubled(machine, std::vector<NodeId>{0, 40, 80, 40, 0});
  CHECK(compact_slots(doubled, 2) == std::vector<Slot>{0, 4});
}

TEST_CASE("A grid that does not fit the job, or is none, is an error") {
  const auto machine = roomy_machine("mesh:4x4");
  const Traffic traffic(stencil("grid=4x4"));
  const auto error = [&](const std::string& spec) {
    return test::error_of([&] { make_mapping(spec, {machine, all_nodes(machine), traffic}); });
  };
  for (const std::string mapper : {"geom", "gsearch", "mj"}) {
    CHECK(error(mapper + ":grid=4x3") ==
          "'" + mapper + ":grid=4x3': the grid has 12 places, expected 16, one for each rank");
    CHECK(error(mapper + ":grid=65536x65536x65536").find("expected extents such as") != std::string::npos);
    for (const std::string grid : {"4x", "x", "4x0x4", "-4x-4", "4,5", "1x1x1x1x1x1x1x1x16"})
      CHECK_FALSE(error(mapper + ":grid=" + grid).empty());
    CHECK(error(mapper + ":grid=4x4").empty());
  }
  CHECK(error("gsearch:variant=worst").find("expected first, best-per-rank or best") != std::string::npos);
  CHECK(error("gsearch:limit=-1").find("or a number of swaps") != std::string::npos);
}

TEST_CASE("A stencil on a machine of its shape has dilation 1") {
  for (const std::string mapper : {"geom", "gsearch", "mj"})
    for (const auto& [job, spec] : std::vector<std::pair<std::string, std::string>>{{"4x8x2", "mesh:4x8x2"},
                                                                                    {"8x2x4", "mesh:4x8x2"},
                                                                                    {"5x3", "torus:3x5"},
                                                                                    {"6", "ring:1x1x6,wrap=mesh"},
                                                                                    {"3x2x5x2", "mesh:2x3x2x5"}}) {
      CAPTURE(mapper, job, spec);
      const auto machine = roomy_machine(spec);
      const Traffic traffic(stencil("grid=" + job));
      const MappingProblem problem{machine, all_nodes(machine), traffic};
      CHECK(cost(problem, make_mapping(mapper, problem)) == bytes(problem));
    }
}

TEST_CASE("A chain goes round a one-way ring without a detour") {
  const auto machine = roomy_machine("ring:12");
  CommunicationMatrix chain;
  chain.rows.resize(12);
  for (std::int32_t rank = 0; rank < 12; ++rank)
    chain.rows[workloads::Rank(rank)] = {{workloads::Rank((rank + 1) % 12), 5, 1}};
  for (auto& row : chain.rows) REQUIRE(row.size() == 1);
  const Traffic traffic(chain);
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  for (const std::string mapper : {"geom", "mj"}) CHECK(cost(problem, make_mapping(mapper, problem)) == bytes(problem));
}

TEST_CASE("A job folds onto a torus: only its crease is longer than one hop") {
  const auto machine = roomy_machine("torus:8x8x8");
  const Traffic traffic(stencil("grid=8x16x4"));
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  // Across the crease of 8 x 4 pairs, both ways, to mirrored places: 1, 3, 3 and 1 hops.
  CHECK(cost(problem, make_mapping("mj", problem)) == bytes(problem) + 8 * 2 * 8 * (0 + 2 + 2 + 0));
}

TEST_CASE("MJ cuts a torus where the allocation has its gap") {
  const auto machine = roomy_machine("torus:12x3");
  std::vector<NodeId> slots;
  for (const std::int32_t y : {0, 1, 2})
    for (const std::int32_t x : {10, 11, 0, 1}) slots.emplace_back(x + 12 * y);
  const Traffic traffic(stencil("grid=4x3"));
  const MappingProblem problem{machine, slots, traffic};
  CHECK(cost(problem, make_mapping("mj", problem)) == bytes(problem));
  CHECK(cost(problem, make_mapping("geom", problem)) > bytes(problem));
}

TEST_CASE("GEOM makes the cuts of the paper's example") {
  // 3x4x5 on 5x4x3: the job's longest axis, 5, goes with x; it is cut into 3 and 2.
  const auto machine = roomy_machine("mesh:5x4x3");
  const Traffic traffic(stencil("grid=3x4x5"));
  const auto mapping = make_mapping("geom", {machine, all_nodes(machine), traffic});
  for (std::int32_t rank = 0; rank < 60; ++rank) {
    const auto node = mapping[workloads::Rank(rank)].value();
    CHECK(node % 5 == rank / 12);  // x is the job's z
    CHECK(node / 5 % 4 == rank / 3 % 4);
    CHECK(node / 20 == rank % 3);
  }
}

/// What the best swap of two ranks gains, by the definition of the cost.
double best_gain(const MappingProblem& problem, Mapping mapping) {
  const double reached = cost(problem, mapping);
  double best = 0;
  auto& nodes = mapping.elements();
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size(); ++b) {
      std::swap(nodes[a], nodes[b]);
      best = std::max(best, reached - cost(problem, mapping));
      std::swap(nodes[a], nodes[b]);
    }
  return best;
}

TEST_CASE("GSEARCH is never above GEOM and ends in a local optimum") {
  core::Random random(3, "gsearch");
  for (const std::string spec : {"mesh:6x6x4", "torus:5x7x3", "ring:6x8", "torus:6x6,wrap=ring/mesh"})
    for (int i = 0; i < 6; ++i) {
      const auto machine = roomy_machine(spec);
      const bool is_stencil = i % 2 == 0;
      const Traffic traffic(is_stencil ? stencil("grid=4x3x2") : random_matrix(random, 24, 0.15));
      const MappingProblem problem{machine, random_slots(random, machine, 24 + (i % 3), 2), traffic};
      const std::string grid = "grid=4x3x2";  // random traffic has none
      const auto geom_mapping = make_mapping("geom:" + grid, problem);
      const double geom = cost(problem, geom_mapping);
      for (const std::string variant : {"first", "best-per-rank", "best"}) {
        CAPTURE(spec, i, variant);
        const auto mapping = make_mapping("gsearch:" + grid + ",variant=" + variant, problem);
        CHECK(cost(problem, mapping) <= geom);
        CHECK(best_gain(problem, mapping) == 0);
        const auto limited = make_mapping("gsearch:" + grid + ",limit=2,variant=" + variant, problem);
        CHECK(cost(problem, limited) <= geom);
        CHECK(cost(problem, limited) >= cost(problem, mapping));
        CHECK(make_mapping("gsearch:" + grid + ",limit=0,variant=" + variant, problem) == geom_mapping);
      }
    }
}

/// Figure 2 of the paper, and the two variants of section IV-C, as they are written there.
std::int64_t plain_search(const MappingProblem& problem, Mapping& mapping, SwapChoice choice) {
  auto& nodes = mapping.elements();
  const auto ranks = nodes.size();
  const auto gain = [&](std::size_t a, std::size_t b) {
    const double before = cost(problem, mapping);
    std::swap(nodes[a], nodes[b]);
    const double gained = before - cost(problem, mapping);
    std::swap(nodes[a], nodes[b]);
    return gained;
  };
  std::int64_t swaps = 0;
  for (bool made = true; made;) {
    made = false;
    std::size_t best_a = 0, best_b = 0;
    double best = 0;
    const auto make_best = [&] {
      if (best == 0) return;
      std::swap(nodes[best_a], nodes[best_b]);
      best = 0;
      ++swaps;
      made = true;
    };
    for (std::size_t a = 0; a < ranks; ++a) {
      for (std::size_t b = choice == SwapChoice::best_per_rank ? 0 : a + 1; b < ranks; ++b) {
        const double gained = gain(a, b);
        if (gained <= best) continue;
        best = gained;
        best_a = a;
        best_b = b;
        if (choice == SwapChoice::first) make_best();
      }
      if (choice == SwapChoice::best_per_rank) make_best();
    }
    make_best();
  }
  return swaps;
}

TEST_CASE("The swaps of GSEARCH are those of the paper's loops") {
  core::Random random(4, "swaps");
  for (const std::string spec : {"mesh:5x5x2", "torus:7x6", "ring:5x6"}) {
    const auto machine = roomy_machine(spec);
    const Traffic traffic(spec == "ring:5x6" ? random_matrix(random, 12, 0.3) : stencil("grid=3x4"));
    for (int i = 0; i < 10; ++i) {
      const MappingProblem problem{machine, random_slots(random, machine, 12, 1), traffic};
      const SlotHops hops(machine, problem.slots);
      const TrafficGraph graph(traffic.matrix());
      for (const auto choice : {SwapChoice::first, SwapChoice::best_per_rank, SwapChoice::best}) {
        CAPTURE(spec, i, static_cast<int>(choice));
        auto slot_of = geometric_mapping({3, 4}, hops, compact_slots(hops, 12));
        auto mapping = mapping_of(slot_of, problem.slots, problem.ranks());
        const auto swaps = swap_search(graph, hops, slot_of, choice);
        CHECK(plain_search(problem, mapping, choice) == swaps);
        CHECK(mapping_of(slot_of, problem.slots, problem.ranks()) == mapping);
      }
    }
  }
}

TEST_CASE("The paper's limit is 0.35 n + 20") {
  const auto machine = roomy_machine("mesh:40x40");
  core::Random random(5, "limit");
  const Traffic traffic(random_matrix(random, 40, 0.3));
  const MappingProblem problem{machine, random_slots(random, machine, 40, 1), traffic};
  const std::string gsearch = "gsearch:grid=5x4x2";
  CHECK(make_mapping(gsearch + ",limit=paper", problem) == make_mapping(gsearch + ",limit=34", problem));
  CHECK(make_mapping(gsearch + ",limit=34", problem) != make_mapping(gsearch, problem));
}

}  // namespace
}  // namespace toroid::mapping
