#include <catch2/catch.hpp>

#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {
namespace {

const std::vector<std::string> ours{"rcm",        "multilevel", "multilevel:tries=1,sweeps=0", "greedy",
                                    "greedyallc", "scotch",     "scotch:strategy=quality",     "scotch:strategy=speed"};

/// With the grid of a line, as most of the traffic has none.
const std::vector<std::string> geometric{"geom", "gsearch", "gsearch:variant=best-per-rank", "gsearch:variant=best",
                                         "mj"};

std::string with_line(const std::string& mapper, std::int32_t ranks) {
  return fmt::format("{}{}grid={}", mapper, mapper.find(':') == std::string::npos ? ":" : ",", ranks);
}

/// make_mapping checks that the mapping is an injection into the slots.
void check_repeatable(const std::string& mapper, const MappingProblem& problem) {
  CAPTURE(mapper);
  const auto mapping = make_mapping(mapper, problem);
  CHECK(make_mapping(mapper, problem) == mapping);
}

TEST_CASE("Every mapper makes a valid mapping of any problem, and the same again") {
  core::Random random(1, "any");
  for (const std::string spec :
       {"mesh:30", "torus:30", "ring:30", "mesh:6x5", "torus:5x6", "ring:6x5", "torus:4x3x3",
        "torus:4x3x3,wrap=torus/mesh/ring", "mesh:3x2x2x3", "torus:2x3x1x2x3,wrap=mesh/torus/torus/ring/mesh",
        "torus:2x2x2x2x2x2x2x2", "mesh:3x1x2x2x1x2x2x2"})
    for (int i = 0; i < 8; ++i) {
      const auto machine = roomy_machine(spec);
      const std::size_t per_node = 1 + random.below(3), count = 1 + random.below(30);
      const auto slots = random_slots(random, machine, count, per_node);
      const auto ranks = static_cast<std::int32_t>(1 + random.below(count));
      const Traffic traffic(random_matrix(random, ranks, i % 2 == 0 ? 0.1 : 0.6));
      CAPTURE(spec, i, per_node, count, ranks);
      for (const auto& mapper : ours) check_repeatable(mapper, {machine, slots, traffic, random.below(5)});
      for (const auto& mapper : geometric) check_repeatable(with_line(mapper, ranks), {machine, slots, traffic});
    }
}

TEST_CASE("One rank, no traffic, traffic in pieces and a single node are no obstacles") {
  const auto machine = roomy_machine("torus:4x4x2");
  CommunicationMatrix silent, one, pieces;
  silent.rows.resize(20);
  one.rows.resize(1);
  pieces.rows.resize(20);
  for (std::int32_t rank = 0; rank < 16; rank += 2) {  // pairs, one of which sends; four ranks alone
    pieces.rows[Rank(rank)].push_back({Rank(rank + 1), 7, 1});
  }
  for (const auto* matrix : {&silent, &one, &pieces}) {
    const Traffic traffic(*matrix);
    for (const auto& mapper : ours) {
      check_repeatable(mapper, {machine, all_nodes(machine), traffic});
      check_repeatable(mapper, {machine, std::vector<NodeId>(20, 9), traffic});
    }
    for (const auto& mapper : geometric) {
      const auto on_line = with_line(mapper, traffic.ranks());
      check_repeatable(on_line, {machine, all_nodes(machine), traffic});
      check_repeatable(on_line, {machine, std::vector<NodeId>(20, 9), traffic});
    }
  }
}

TEST_CASE("Sums of bytes beyond 32 bits are no obstacle") {
  const auto machine = roomy_machine("torus:4x4");
  CommunicationMatrix huge;
  huge.rows.resize(8);
  for (std::int32_t rank = 0; rank < 7; ++rank)
    huge.rows[Rank(rank)].push_back({Rank(rank + 1), rank == 3 ? 1 : std::uint64_t{1} << 55U, 1});
  const Traffic traffic(huge);
  for (const auto& mapper : ours) check_repeatable(mapper, {machine, all_nodes(machine), traffic});
  for (const auto& mapper : geometric) check_repeatable(with_line(mapper, 8), {machine, all_nodes(machine), traffic});
}

TEST_CASE("Ranks that talk to each other share nodes where they can") {
  // Four cliques of 4 ranks, on 4 nodes with room for 4: no byte need leave a node.
  const auto machine = roomy_machine("mesh:2x2");
  core::Random random(2, "cliques");
  const auto names = shuffled_names(random, 16);
  CommunicationMatrix cliques;
  cliques.rows.resize(16);
  for (std::int32_t a = 0; a < 16; ++a)
    for (std::int32_t b = 0; b < 16; ++b)
      if (a != b && a / 4 == b / 4) cliques.rows[Rank(a)].push_back({Rank(b), 100, 1});
  const Traffic traffic(permuted(cliques, names));
  std::vector<NodeId> slots;
  for (NodeId node = 0; node < 4; ++node) slots.insert(slots.end(), 4, node);
  const MappingProblem problem{machine, slots, traffic};
  for (const std::string mapper :
       {"rcm", "multilevel", "multilevel:tries=1,sweeps=0", "greedy", "greedyallc", "scotch"}) {
    CAPTURE(mapper);
    CHECK(cost(problem, make_mapping(mapper, problem)) == 0);
  }
}

TEST_CASE("A chain of ranks in any order is found and laid along a line") {
  const auto machine = roomy_machine("mesh:40");
  core::Random random(3, "chain");
  const Traffic traffic(permuted(stencil("grid=40"), shuffled_names(random, 40)));
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  for (const std::string mapper : {"rcm", "multilevel"}) {
    CAPTURE(mapper);
    CHECK(cost(problem, make_mapping(mapper, problem)) == bytes(problem));
  }
}

TEST_CASE("Orders of ranks and nodes that are alike give dilation 1, whatever light collectives there are") {
  const auto machine = roomy_machine("mesh:4x8x2");
  const auto trace = workloads::generators().make("stencil:grid=4x8x2,bytes=8KiB");
  const Traffic traffic(*trace);
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  REQUIRE(traffic.matrix().rows[0].size() > 3);
  const Traffic neighbours(stencil("grid=4x8x2"));
  const MappingProblem without_collectives{machine, problem.slots, neighbours};
  CHECK(cost(without_collectives, make_mapping("rcm", problem)) == bytes(without_collectives));
}

TEST_CASE("Mappers that look at the traffic map a permuted stencil far better than chance") {
  const auto machine = roomy_machine("torus:8x8");
  core::Random random(4, "permuted");
  const Traffic traffic(permuted(stencil("grid=8x8"), shuffled_names(random, 64)));
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  const double chance = cost(problem, make_mapping("random", problem));  // about 4 hops
  for (const std::string mapper : {"multilevel", "greedyallc", "scotch"}) {
    CAPTURE(mapper);
    CHECK(cost(problem, make_mapping(mapper, problem)) < 0.55 * chance);
  }
  for (const std::string mapper : {"greedy", "rcm"}) {
    CAPTURE(mapper);
    CHECK(cost(problem, make_mapping(mapper, problem)) < 0.8 * chance);
  }
}

TEST_CASE("The traffic graph has both directions at both ends") {
  CommunicationMatrix matrix;
  matrix.rows = {{{1, 5, 1}, {2, 0, 1}}, {{0, 7, 1}}, {{1, 3, 2}}};
  const TrafficGraph graph(matrix);
  REQUIRE(graph.rank_count() == 3);
  CHECK(graph.edge_count() == 4);
  REQUIRE(graph.neighbours(0).size() == 1);
  CHECK(graph.neighbours(0)[0].sent == 5);
  CHECK(graph.neighbours(0)[0].received == 7);
  REQUIRE(graph.neighbours(1).size() == 2);
  CHECK(graph.neighbours(1)[1].rank == 2);
  CHECK(graph.neighbours(1)[1].sent == 0);
  CHECK(graph.neighbours(1)[1].received == 3);
  CHECK(graph.bytes(1) == 15);
}

TEST_CASE("Hop-bytes are the classic cost") {
  core::Random random(5, "hop bytes");
  const auto machine = roomy_machine("ring:4x5");
  const Traffic traffic(random_matrix(random, 12, 0.4));
  const MappingProblem problem{machine, random_slots(random, machine, 12, 1), traffic};
  CHECK(hop_bytes(TrafficGraph(traffic.matrix()), SlotHops(machine, problem.slots), in_order(12)) ==
        cost(problem, Mapping(problem.slots)));
}

TEST_CASE("Scotch's mapping depends on the seed alone") {
  const auto machine = roomy_machine("torus:6x6x6");
  const Traffic traffic(stencil("grid=6x6x6,periodic=yes"));
  const MappingProblem problem{machine, all_nodes(machine), traffic};
  check_repeatable("scotch:seed=3", problem);
  CHECK(make_mapping("scotch:seed=3", problem) == make_mapping("scotch", {machine, all_nodes(machine), traffic, 3}));
  CHECK(make_mapping("scotch:seed=3", problem) != make_mapping("scotch:seed=4", problem));
}

TEST_CASE("An unknown strategy of Scotch is an error") {
  const auto machine = roomy_machine("mesh:2");
  const Traffic traffic(stencil("grid=2"));
  CHECK(test::error_of([&] {
          make_mapping("scotch:strategy=luck", {machine, all_nodes(machine), traffic});
        }) == "'scotch:strategy=luck': strategy=luck: expected default, quality or speed");
}

TEST_CASE("Ranks fill nodes of different room") {
  // 1, 2, 3 and 4 slots: Scotch takes nodes for alike, so ranks must move.
  const auto machine = roomy_machine("mesh:4");
  std::vector<NodeId> slots;
  for (NodeId node = 0; node < 4; ++node) slots.insert(slots.end(), node.index() + 1, node);
  const Traffic traffic(stencil("grid=10"));
  for (const auto& mapper : ours) {
    auto mapping = make_mapping(mapper, {machine, slots, traffic});
    std::sort(mapping.begin(), mapping.end());
    CHECK(mapping == Mapping(slots));
  }
}

}  // namespace
}  // namespace toroid::mapping
