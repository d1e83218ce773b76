#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "mapping/search/searches.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::mapping {
namespace {

std::vector<NodeId> nodes_of(const Machine& machine) {
  return {machine.nodes().begin(), machine.nodes().end()};
}

/// Least cost over all ways to put the ranks on the slots.
double least_cost(const CommunicationMatrix& matrix, const Machine& machine, std::vector<NodeId> slots, bool td) {
  std::sort(slots.begin(), slots.end());
  double least = std::numeric_limits<double>::infinity();
  do {
    least = std::min(least, cost_by_definition(matrix, machine, Mapping(slots), td));
  } while (std::next_permutation(slots.begin(), slots.end()));
  return least;
}

TEST_CASE("GRASP finds the optimum of tiny problems", "[slow]") {
  core::Random random(2, "tiny");
  for (const std::string platform : {"mesh:3x3", "torus:4x4", "ring:3x3", "mesh:2x2x2", "ring:7"})
    for (const bool td : {false, true})
      for (const std::size_t per_node : {1, 2})
        for (const std::int32_t ranks : {2, 5, 7}) {
          CAPTURE(platform, td, per_node, ranks);
          const auto machine = roomy_machine(platform);
          const auto slots = random_slots(random, machine, 7, per_node);
          const Traffic traffic(random_matrix(random, ranks, 0.6));
          const auto mapping =
              make_mapping(td ? "grasp:cost=td,iterations=1000" : "grasp:iterations=1000", {machine, slots, traffic});
          CHECK(cost_by_definition(traffic.matrix(), machine, mapping, td) ==
                least_cost(traffic.matrix(), machine, slots, td));
        }
}

TEST_CASE("Its mapping is a local optimum: no swap and no move into an empty slot is better") {
  core::Random random(3, "local");
  for (const std::string platform : {"mesh:8x8", "torus:4x4x4", "ring:8x4"})
    for (const bool td : {false, true})
      for (const std::int32_t ranks : {20, 24}) {
        CAPTURE(platform, td, ranks);
        const auto machine = roomy_machine(platform);
        const auto slots = random_slots(random, machine, 24, 2);
        const Traffic traffic(random_matrix(random, ranks, 0.2));
        const std::string spec = fmt::format("grasp:cost={},iterations=2", td ? "td" : "classic");
        auto nodes = make_mapping(spec, {machine, slots, traffic, random.below(1000)}).elements();
        const auto cost = [&] { return cost_by_definition(traffic.matrix(), machine, Mapping(nodes), td); };
        const double reached = cost();
        auto free = slots;
        for (const auto node : nodes) free.erase(std::find(free.begin(), free.end(), node));
        const auto used = nodes.size();
        nodes.insert(nodes.end(), free.begin(), free.end());
        for (std::size_t a = 0; a < used; ++a)
          for (std::size_t b = a + 1; b < nodes.size(); ++b) {
            std::swap(nodes[a], nodes[b]);
            CHECK(cost() >= reached);
            std::swap(nodes[a], nodes[b]);
          }
      }
}

TEST_CASE("Descending never ends above its start") {
  core::Random random(4, "descend");
  const auto machine = roomy_machine("torus:6x6");
  for (int i = 0; i < 50; ++i) {
    const auto slots = random_slots(random, machine, 36, 1);
    const QuadraticCost cost(TrafficGraph(random_matrix(random, 30, 0.3)), SlotCosts(machine, slots, td_distance));
    auto slot_of = random_assignment(random, 36);
    const double start = cost.total(slot_of);
    descend(cost, slot_of);
    CHECK(cost.total(slot_of) <= start);
    std::sort(slot_of.begin(), slot_of.end());
    CHECK(slot_of == in_order(36));
  }
}

TEST_CASE("The same seed gives the same mapping, others mostly another", "[slow]") {
  const auto machine = roomy_machine("mesh:8x8");
  core::Random random(5, "seeds");
  const Traffic traffic(random_matrix(random, 64, 0.1));
  const auto map = [&](const std::string& spec, std::uint64_t seed) {
    return make_mapping(spec, {machine, nodes_of(machine), traffic, seed});
  };
  std::set<std::vector<NodeId>> seen;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto mapping = map("grasp:iterations=2", seed);
    CHECK(mapping == map("grasp:iterations=2", seed));
    CHECK(mapping == map(fmt::format("grasp:iterations=2,seed={}", seed), 99));
    seen.insert(mapping.elements());
  }
  CHECK(seen.size() >= 9);
}

TEST_CASE("More iterations with one seed are never worse") {
  const auto machine = roomy_machine("torus:4x4x4");
  core::Random random(6, "iterations");
  const Traffic traffic(random_matrix(random, 60, 0.1));
  double previous = std::numeric_limits<double>::infinity();
  for (const int iterations : {1, 2, 5, 20}) {
    const auto mapping =
        make_mapping(fmt::format("grasp:iterations={}", iterations), {machine, nodes_of(machine), traffic});
    const double cost = cost_by_definition(traffic.matrix(), machine, mapping, false);
    CHECK(cost <= previous);
    previous = cost;
  }
}

/// A 4x4 stencil without wrap, its ranks renumbered at random.
CommunicationMatrix permuted_stencil(core::Random& random) {
  const auto name = shuffled_names(random, 16);
  const auto grid = roomy_machine("mesh:4x4");
  CommunicationMatrix matrix;
  matrix.rows.resize(16);
  for (NodeId a = 0; a < 16; ++a)
    for (NodeId b = 0; b < 16; ++b)
      if (grid.hops(a, b) == 1) matrix.rows[name[Rank(a.value())]].push_back({name[Rank(b.value())], 1000, 1});
  return matrix;
}

TEST_CASE("A permuted stencil on a mesh of its shape is mapped optimally") {
  core::Random random(7, "stencil");
  const auto machine = roomy_machine("mesh:4x4");
  for (int i = 0; i < 10; ++i) {
    const Traffic traffic(permuted_stencil(random));
    const auto bytes = static_cast<double>(traffic.matrix().total_bytes());
    const auto cost = [&](const std::string& spec, bool td) {
      const auto mapping = make_mapping(spec, {machine, nodes_of(machine), traffic});
      return cost_by_definition(traffic.matrix(), machine, mapping, td);
    };
    CHECK(cost("grasp", false) == bytes);             // every neighbour one hop away
    CHECK(cost("grasp:cost=td", true) == 2 * bytes);  // TD distance 2: one hop, or a diagonal
  }
}

TEST_CASE("Without traffic, or with one rank, any slots will do") {
  const auto machine = roomy_machine("mesh:4x4");
  const std::vector<NodeId> slots{3, 3, 9, 12};
  for (const std::int32_t ranks : {1, 3, 4}) {
    CommunicationMatrix silent;
    silent.rows.resize(static_cast<std::size_t>(ranks));
    const Traffic traffic(silent);
    CHECK(make_mapping("grasp:cost=td", {machine, slots, traffic}).size() == static_cast<std::size_t>(ranks));
  }
  const Traffic zeros(CommunicationMatrix{{{{1, 0, 7}}, {{0, 0, 7}}}});
  CHECK(make_mapping("grasp", {machine, slots, zeros}).size() == 2);
}

TEST_CASE("Huge amounts of bytes do not keep the search from ending") {
  const auto machine = roomy_machine("torus:4x4");
  core::Random random(8, "huge");
  auto matrix = random_matrix(random, 16, 0.5);
  for (auto& row : matrix.rows)
    for (auto& cell : row) cell.bytes = std::numeric_limits<std::uint64_t>::max() / (1 + cell.bytes);
  const Traffic traffic(matrix);
  CHECK(make_mapping("grasp", {machine, nodes_of(machine), traffic}).size() == 16);
}

TEST_CASE("What GRASP does not know is an error") {
  const auto machine = roomy_machine("mesh:2x2");
  const Traffic traffic(CommunicationMatrix{{{}, {}}});
  const auto error = [&](const std::string& spec) {
    return test::error_of([&] { make_mapping(spec, {machine, {0, 1}, traffic}); });
  };
  CHECK(error("grasp:cost=hops") == "unknown cost 'hops'; valid: classic, td, td-eq7, weighted");
  CHECK(error("grasp:iterations=0").find("expected a whole number from 1 to") != std::string::npos);
  CHECK(error("grasp:seed=-1").find("expected a whole number from 0 to") != std::string::npos);
  CHECK(error("grasp:starts=3").find("valid: cost, iterations, seed") != std::string::npos);
}

TEST_CASE("Traffic counts collectives unless told not to, and makes its matrix once") {
  const auto trace = test::trace_of("0 bcast 1000\n1 bcast 1000\n0 send 1 0 8\n1 recv 0 0 8\n");
  const Traffic all(*trace), messages(*trace, {}, parse_matrix_kind("p2p"));
  CHECK(all.ranks() == 2);
  CHECK(all.matrix().total_bytes() == 1008);
  CHECK(messages.matrix().total_bytes() == 8);
  CHECK(&all.matrix() == &all.matrix());
  CHECK(parse_matrix_kind("expanded") == MatrixKind::expanded);
  CHECK(test::error_of([] { parse_matrix_kind("all"); }) == "unknown matrix 'all'; valid: expanded, p2p");
}

TEST_CASE("A mapper that needs no traffic does not read the trace for it") {
  struct Unreadable : workloads::Trace {
    std::int32_t ranks() const override { return 2; }
    std::unique_ptr<workloads::OperationStream> open(workloads::Rank) const override { core::fail_input("read"); }
    std::string locate(workloads::Rank, std::uint64_t) const override { return {}; }
    const workloads::Communicator& communicator(workloads::CommId) const override { core::fail_input("read"); }
  };
  const Unreadable trace;
  const Traffic traffic(trace);
  const auto machine = roomy_machine("mesh:2x2");
  CHECK(make_mapping("consecutive", {machine, {2, 3}, traffic}) == Mapping{2, 3});
  CHECK_THROWS_AS(make_mapping("grasp", {machine, {2, 3}, traffic}), core::InputError);
}

}  // namespace
}  // namespace toroid::mapping
