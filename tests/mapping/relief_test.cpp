#include "mapping/search/relief.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/mapping/problems.hpp"
#include "toroid/mapping/metrics.hpp"

namespace toroid::mapping {
namespace {

/// The peak of the links of the grid by its definition, from the routes of the machine and of its copy with the other
/// order of dimensions.
double peak_by_definition(const MappingProblem& problem, const Mapping& mapping, Routing routing, bool ports) {
  std::vector<Machine> machines{problem.machine};
  if (routing == Routing::adaptive) {
    auto description = problem.machine.description();
    description.routing.clear();
    for (std::size_t d = problem.machine.grid().dimension_count(); d-- > 0;) description.routing.push_back(d);
    machines.emplace_back(description);
  }
  core::IdVector<platforms::LinkId, double> bytes(problem.machine.link_count());
  const auto& rows = problem.traffic.matrix().rows;
  for (const auto from : rows.ids())
    for (const auto& cell : rows[from])
      for (const auto& machine : machines)
        machine.for_each_link(mapping[from], mapping[cell.to], [&](platforms::LinkId link) {
          bytes[link] += static_cast<double>(cell.bytes) / static_cast<double>(machines.size());
        });
  double most = 0;
  for (const auto link : bytes.ids())
    if (bytes[link] > 0 && (ports || problem.machine.is_of_grid(link)))
      most = std::max(most, bytes[link] / problem.machine.link_bandwidth(link));
  return most;
}

TEST_CASE("minmaxload never ends above its base, in peak and in hops, and far below random mappings", "[slow]") {
  core::Random random(3, "relief");
  for (const auto& platform : platforms_tried)
    for (const std::string routing : {"dimension-order", "adaptive"})
      for (const std::size_t per_node : {1, 2}) {
        CAPTURE(platform, routing, per_node);
        const auto machine = roomy_machine(platform);
        const Traffic traffic(random_matrix(random, 16, 0.15));
        const auto kind = routing == "adaptive" ? Routing::adaptive : Routing::dimension_order;
        const MappingProblem problem{machine, random_slots(random, machine, 16, per_node), traffic, random.below(1000)};
        const auto peak = [&](const Mapping& mapping) {
          return peak_by_definition(problem, mapping, kind, per_node > 1);
        };
        const auto relieved = [&](const std::string& base, const std::string& keys) {
          return make_mapping("minmaxload:base=(" + base + "),routing=" + routing + keys, problem);
        };
        const auto start = make_mapping("refine:cost=weighted", problem);
        const auto weighted = [&](const Mapping& mapping) {
          return QuadraticCost(TrafficGraph(traffic.matrix()), SlotCosts(machine, problem.slots, weighted_distance))
              .total(assignment_of(mapping, problem.slots));
        };
        const auto better = relieved("refine:cost=weighted", "");
        CHECK(peak(better) <= peak(start));
        CHECK(weighted(better) <= 1.03 * weighted(start) * (1 + 1e-9));
        CHECK(weighted(relieved("refine:cost=weighted", ",more-hops=0")) <= weighted(start) * (1 + 1e-9));
        if (machine.limits_injection())  // what one rank sends leaves its node, wherever that is
          CHECK(peak(relieved("random", "")) <= peak(make_mapping("random", problem)));
        else
          CHECK(peak(relieved("random", "")) < peak(make_mapping("random", problem)));
        CHECK(relieved("random", ",visits=0") == make_mapping("random", problem));
      }
}

TEST_CASE("minmaxload finds the least possible peak of small problems") {
  core::Random random(4, "least");
  for (const std::string platform : {"mesh:3x2", "torus:6", "ring:3x2"})
    for (const auto routing : {Routing::dimension_order, Routing::adaptive}) {
      CAPTURE(platform);
      const auto machine = roomy_machine(platform);
      const Traffic traffic(random_matrix(random, 6, 0.5));
      MappingProblem problem{machine, all_nodes(machine), traffic, 1};
      const auto peak = [&](const Mapping& nodes) { return peak_by_definition(problem, nodes, routing, true); };
      Mapping nodes(all_nodes(machine));
      double least = peak(nodes);
      while (std::next_permutation(nodes.begin(), nodes.end())) least = std::min(least, peak(nodes));
      double reached = std::numeric_limits<double>::infinity();
      for (problem.seed = 1; problem.seed <= 20; ++problem.seed) {
        const auto start = make_mapping("random", problem);
        const auto slot_of = relieve(problem, assignment_of(start, problem.slots), {routing, 100, 20000}, random);
        reached = std::min(reached, peak(mapping_of(slot_of, problem.slots, 6)));
      }
      CHECK(reached == least);
    }
}

TEST_CASE("A message that is alone on the worst link goes elsewhere if anything is better, with spare nodes") {
  // Two heavy pairs that share a link of a line; a free node beside one of them.
  const auto machine = roomy_machine("mesh:5");
  const Traffic traffic(workloads::CommunicationMatrix{{{{1, 100, 1}}, {}, {{3, 100, 1}}, {}}});
  const std::vector<NodeId> slots{0, 2, 1, 3, 4};  // 0 -> 2 and 1 -> 3 cross 1 -> 2
  const MappingProblem problem{machine, slots, traffic, 1};
  CHECK(peak_by_definition(problem, make_mapping("consecutive", problem), Routing::dimension_order, true) == 200e-9);
  CHECK(peak_by_definition(problem, make_mapping("minmaxload:base=consecutive", problem), Routing::dimension_order,
                           true) == 100e-9);
}

TEST_CASE("minmaxload takes from the heaviest links of renumbered jobs as much whatever the numbers", "[slow]") {
  core::Random random(5, "numbers");
  const auto machine = roomy_machine("torus:4x4x4");
  const auto matrix = random_matrix(random, 64, 0.08);
  const auto peaks = [&](bool renumber) {
    std::vector<double> all;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Traffic traffic(renumber ? permuted(matrix, shuffled_names(random, 64)) : matrix);
      const MappingProblem problem{machine, all_nodes(machine), traffic, seed};
      all.push_back(peak_by_definition(problem,
                                       make_mapping("minmaxload:base=(multilevel:sweeps=50),visits=100000", problem),
                                       Routing::dimension_order, true));
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto by_number = peaks(false), renumbered = peaks(true);
  // The median of each lies within the other's range, and they are as wide.
  CHECK(by_number.front() <= renumbered[6]);
  CHECK(renumbered[5] <= by_number.back());
  CHECK(renumbered.front() <= by_number[6]);
  CHECK(by_number[5] <= renumbered.back());
}

TEST_CASE("minmaxload takes the grid of a stencil where that is better, and depends on the seed alone") {
  core::Random random(6, "grid");
  const auto machine = roomy_machine("mesh:12x10");
  const Traffic traffic(permuted(stencil("grid=12x10"), shuffled_names(random, 120)));
  const MappingProblem problem{machine, all_nodes(machine), traffic, 5};
  const auto mapping = make_mapping("minmaxload", problem);
  CHECK(cost(problem, mapping) == bytes(problem));
  CHECK(make_mapping("minmaxload:seed=5", problem) == mapping);
  CHECK(make_mapping("minmaxload:base=(random),seed=6", problem) !=
        make_mapping("minmaxload:base=(random),seed=7", problem));
}

TEST_CASE("minmaxload has nothing to do without traffic") {
  const auto machine = roomy_machine("mesh:2x2");
  for (const auto& matrix :
       {workloads::CommunicationMatrix{{{}, {}, {}}}, workloads::CommunicationMatrix{{{{1, 0, 3}}, {}, {}}},
        workloads::CommunicationMatrix{{{}}}, workloads::CommunicationMatrix{}}) {
    const Traffic traffic(matrix);
    const MappingProblem problem{machine, all_nodes(machine), traffic, 1};
    CHECK(make_mapping("minmaxload", problem).size() == matrix.rows.size());
  }
}

}  // namespace
}  // namespace toroid::mapping
