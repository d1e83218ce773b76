#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/file.hpp"
#include "mapping/search/searches.hpp"
#include "mapping/search/tabu_search.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/core/text.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::mapping {
namespace {

const std::vector<std::string> searchers{"grasp", "anneal", "tabu:iterations=2000", "refine",
                                         "minmaxload:visits=20000"};

Qap::Matrix random_numbers(core::Random& random, std::size_t count, double density) {
  Qap::Matrix matrix(count);
  for (auto& value : matrix)
    if (random.unit() < density) value = static_cast<double>(random.below(50));
  return matrix;
}

void symmetrize(Qap::Matrix& matrix, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) matrix[i * n + j] = matrix[j * n + i];
}

/// The least cost over all permutations, by the definition.
double least_cost(std::size_t n, const Qap::Matrix& flow, const Qap::Matrix& distance) {
  auto p = in_order(n);
  double least = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (const Rank i : p.ids())
      for (const Rank j : p.ids()) sum += flow[i.index() * n + j.index()] * distance[p[i].index() * n + p[j].index()];
    least = std::min(least, sum);
  } while (std::next_permutation(p.begin(), p.end()));
  return least;
}

TEST_CASE("Tabu search finds the optimum of small problems, symmetric or not, in whole numbers or not") {
  core::Random random(1, "qap");
  for (const std::size_t n : {2, 3, 5, 7})
    for (const bool symmetric_flow : {false, true})
      for (const bool symmetric_distance : {false, true})
        for (const bool with_diagonals : {false, true})
          for (const double unit : {1.0, 0.1, 1e9}) {
            CAPTURE(n, symmetric_flow, symmetric_distance, with_diagonals, unit);
            auto flow = random_numbers(random, n * n, 0.6), distance = random_numbers(random, n * n, 0.9);
            if (symmetric_flow) symmetrize(flow, n);
            if (symmetric_distance) symmetrize(distance, n);
            for (auto& value : flow) value *= unit;
            if (!with_diagonals)
              for (std::size_t i = 0; i < n; ++i) flow[i * (n + 1)] = distance[i * (n + 1)] = 0;
            const Qap problem(n, flow, distance);
            SearchBudget budget{5000};
            const auto found = memetic_search(problem, budget, random);
            const double least = least_cost(n, flow, distance);
            CHECK(problem.cost(found) == Approx(least).epsilon(1e-12));
          }
}

/// What a search believes it reached is checked against the whole sum: the tables of gains must stay right through
/// thousands of swaps.
TEST_CASE("The cost that a tabu search reports is that of its assignment, and no single swap is better") {
  core::Random random(2, "report");
  for (const bool symmetric : {true, false})
    for (const double unit : {1.0, 1e6, 0.37})
      for (const std::size_t n : {4, 17, 33}) {
        CAPTURE(symmetric, unit, n);
        auto flow = random_numbers(random, n * n, 0.5), distance = random_numbers(random, n * n, 1);
        if (symmetric) symmetrize(distance, n);
        for (auto& value : distance) value *= unit;
        const Qap problem(n, flow, distance);
        Assignment assignment = random_assignment(random, n);
        SearchBudget budget{3000};
        double seen = std::numeric_limits<double>::infinity();
        budget.stop = [&](double least) {
          seen = std::min(seen, least);
          return false;
        };
        const double reported = make_tabu_search(problem)->run(assignment, 3000, budget, random);
        CHECK(reported == problem.cost(assignment));
        CHECK(seen >= reported * (1 - 1e-9));
        for (const Rank a : assignment.ids())
          for (const Rank b : core::IdRange<Rank>(0, a)) {
            std::swap(assignment[a], assignment[b]);
            CHECK(problem.cost(assignment) >= reported * (1 - 1e-9));
            std::swap(assignment[a], assignment[b]);
          }
      }
}

TEST_CASE("The dense problem of a mapping costs what the sparse one does") {
  core::Random random(3, "dense");
  for (const std::string platform : {"torus:3x3", "ring:3x3"}) {
    const auto machine = roomy_machine(platform);
    const QuadraticCost cost(TrafficGraph(random_matrix(random, 7, 0.5)),
                             SlotCosts(machine, random_slots(random, machine, 9, 1), td_distance));
    const Qap problem(cost);
    for (int i = 0; i < 20; ++i) {
      const auto slot_of = random_assignment(random, 9);
      CHECK(problem.cost(slot_of) == cost.total(slot_of));
      core::IdVector<Slot, double> sparse, dense;
      cost.on_each_slot(slot_of, 3, sparse);
      problem.on_each_slot(slot_of, 3, dense);
      CHECK(sparse == dense);
    }
  }
}

TEST_CASE("Matrices of a wrong size, and numbers that are not finite, are errors") {
  const auto error = [](Qap::Matrix flow, Qap::Matrix distance) {
    return test::error_of([&] { Qap(2, flow, distance); });
  };
  CHECK(error({1, 2, 3, 4}, {1, 2, 3}) == "an assignment problem of 2: found a matrix of 3 numbers, expected 4");
  CHECK(error({0, NAN, 0, 0}, {1, 2, 3, 4}) == "an assignment problem of 2: found nan, expected finite numbers");
  CHECK(error({1, 2, 3, 4}, {0, INFINITY, 0, 0}).find("found inf") != std::string::npos);
  CHECK(error({1, 2, 3, 4}, {1, 2, 3, 4}).empty());
}

TEST_CASE("Instances of QAPLIB are solved to their known optima") {
  core::Random random(4, "qaplib");
  for (const auto& [name, optimum] : std::vector<std::pair<std::string, double>>{
           {"nug12", 578}, {"chr12a", 9552}, {"tai12b", 39464925}, {"bur26a", 5426670}, {"nug30", 6124}}) {
    const auto path = test::shared_data("qaplib/" + name + ".dat");
    if (path.empty()) return;
    std::vector<double> numbers;
    core::LineReader reader(path);
    while (const auto line = reader.next())
      for (const auto part : core::split(*line, ' '))
        if (!core::trim(part).empty()) numbers.push_back(core::parse_number<double>(core::trim(part)).value());
    const auto n = static_cast<std::size_t>(numbers[0]);
    const auto middle = numbers.begin() + 1 + static_cast<std::ptrdiff_t>(n * n);
    const Qap problem(n, {numbers.begin() + 1, middle}, {middle, numbers.end()});
    SearchBudget budget{300'000, [known = optimum](double least) { return least <= known; }};
    CHECK(problem.cost(memetic_search(problem, budget, random)) == optimum);
  }
}

/// The ranks of a stencil without wrap, renumbered at random; rank r sends to its neighbours.
CommunicationMatrix permuted_stencil(core::Random& random, const Machine& grid) {
  const auto name = shuffled_names(random, grid.node_count());
  CommunicationMatrix matrix;
  matrix.rows.resize(grid.node_count());
  for (const NodeId a : grid.nodes())
    for (const NodeId b : grid.nodes())
      if (grid.hops(a, b) == 1) matrix.rows[name[Rank(a.value())]].push_back({name[Rank(b.value())], 1000, 1});
  return matrix;
}

TEST_CASE("A permuted stencil is mapped on a mesh of its shape with one hop for every message", "[slow]") {
  core::Random random(5, "stencil");
  const auto check = [&](const std::string& platform, const std::string& spec) {
    CAPTURE(platform, spec);
    const auto machine = roomy_machine(platform);
    const Traffic traffic(permuted_stencil(random, machine));
    const auto mapping = make_mapping(spec, {machine, all_nodes(machine), traffic});
    CHECK(cost_by_definition(traffic.matrix(), machine, mapping, false) ==
          static_cast<double>(traffic.matrix().total_bytes()));
  };
  for (const std::string platform : {"mesh:4x4", "mesh:8x8", "mesh:4x4x4"}) {
    check(platform, "tabu");
    check(platform, "anneal:sweeps=50000");
  }
}

TEST_CASE("Searchers fit any allocation: scattered, several ranks a node, empty slots, one-way rings", "[slow]") {
  core::Random random(6, "fit");
  for (const std::string platform : {"mesh:5x5", "torus:4x3x3", "ring:6x6", "mesh:20"})
    for (const std::size_t per_node : {1, 3})
      for (const std::int32_t ranks : {1, 2, 9, 12}) {
        const auto machine = roomy_machine(platform);
        const auto slots = random_slots(random, machine, 12, per_node);
        const Traffic traffic(random_matrix(random, ranks, 0.4)), silence([&] {
          CommunicationMatrix matrix;
          matrix.rows.resize(static_cast<std::size_t>(ranks));
          return matrix;
        }());
        for (const auto& spec : searchers) {
          CAPTURE(platform, per_node, ranks, spec);
          for (const auto* any : {&traffic, &silence}) {
            const MappingProblem problem{machine, slots, *any, random.below(100)};
            CHECK(make_mapping(spec, problem) == make_mapping(spec, problem));
          }
        }
      }
}

TEST_CASE("No ranks on no slots are mapped; more ranks than slots are an error") {
  const auto machine = roomy_machine("mesh:2x2");
  const Traffic none{CommunicationMatrix{}}, two(CommunicationMatrix{{{{1, 5, 1}}, {}}});
  for (const auto& spec : searchers) {
    CAPTURE(spec);
    CHECK(make_mapping(spec, {machine, {}, none}).empty());
    CHECK(make_mapping(spec, {machine, {3}, none}).empty());
    CHECK_THROWS_AS(make_mapping(spec, {machine, {}, two}), core::InputError);
    CHECK_THROWS_AS(make_mapping(spec, {machine, {3}, two}), core::InputError);
  }
}

TEST_CASE("All costs suit all searchers, and a search never ends above its base", "[slow]") {
  core::Random random(7, "base");
  const auto machine = roomy_machine("torus:6x6,bw=1GBps/250MBps");
  const Traffic traffic(random_matrix(random, 30, 0.2));
  const MappingProblem problem{machine, all_nodes(machine), traffic, 5};
  for (const auto& entry : distances().entries()) {
    const QuadraticCost cost(TrafficGraph(traffic.matrix()), SlotCosts(machine, problem.slots, entry.make));
    const auto total = [&](const std::string& spec) {
      return cost.total(assignment_of(make_mapping(spec, problem), problem.slots));
    };
    const double random_total = total("random");
    const auto tabu = fmt::format("tabu:iterations={}", test::tenth_if_sanitized(100000));
    for (const std::string& search : {std::string("refine:"), tabu + ","}) {
      CAPTURE(entry.name, search);
      CHECK(total(fmt::format("{}base=(random),cost={}", search, entry.name)) < random_total);
    }
    CHECK(total(fmt::format("{},cost={}", tabu, entry.name)) <= total(fmt::format("grasp:cost={}", entry.name)));
    CHECK(total(fmt::format("anneal:cost={}", entry.name)) < random_total);
  }
}

TEST_CASE("Tabu search improves its base, and refuses what is too large", "[slow]") {
  core::Random random(8, "tabu");
  for (const std::string platform : {"torus:7x7x7", "ring:18x18"}) {
    const auto machine = roomy_machine(platform);
    const Traffic traffic(random_matrix(random, 300, 0.02));
    const auto slots = random_slots(random, machine, 310, 1);
    const QuadraticCost cost(TrafficGraph(traffic.matrix()), SlotCosts(machine, slots, classic_distance));
    const auto total = [&](const std::string& spec) {
      return cost.total(assignment_of(make_mapping(spec, {machine, slots, traffic}), slots));
    };
    const std::string base = "refine:base=(random)";
    CHECK(total("tabu:iterations=500,base=(" + base + ")") < total(base));
  }
  const auto large = roomy_machine("torus:27x19");
  const Traffic traffic(random_matrix(random, 513, 0.01));
  CHECK(test::error_of([&] {
          make_mapping("tabu", {large, all_nodes(large), traffic});
        }) == "tabu: found 513 slots, expected 512 at most; anneal and multilevel are for more");
}

TEST_CASE("A base that is wrong is an error") {
  const auto machine = roomy_machine("mesh:2x2");
  const Traffic traffic(CommunicationMatrix{{{}, {}}});
  const auto error = [&](const std::string& spec) {
    return test::error_of([&] { make_mapping(spec, {machine, {0, 1}, traffic}); });
  };
  CHECK(error("refine:base=nobody").find("'nobody': no such mapper") == 0);
  CHECK(error("minmaxload:base=(refine:cost=nothing)").find("unknown cost 'nothing'") == 0);
  CHECK(error("tabu:iterations=0").find("expected a whole number from 1") != std::string::npos);
  CHECK(error("anneal:sweeps=x").find("expected a whole number from 1") != std::string::npos);
  const test::Scratch scratch;
  const auto file = scratch.write("map.txt", "0\n3\n");
  CHECK(error("refine:base=" + file) == file + ": rank 1 is on node 3, which is not among the job's nodes");
}

}  // namespace
}  // namespace toroid::mapping
