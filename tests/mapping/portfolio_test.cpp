#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "mapping/portfolio/candidates.hpp"
#include "tests/mapping/problems.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::mapping {
namespace {

using platforms::make_machine;

double max_load(const MappingProblem& problem, const Mapping& mapping) {
  return static_cast<double>(measure(problem.machine, mapping, problem.traffic.matrix()).loads.max_bytes);
}

bool says(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(), [&](const auto& n) { return n.find(part) != std::string::npos; });
}

TEST_CASE("auto carries no more on its busiest link than any other mapper's mapping", "[slow]") {
  core::Random random(1, "auto");
  for (const auto& [platform, density] :
       std::vector<std::pair<std::string, double>>{{"mesh:6x6", 0.05}, {"ring:6x6", 0.3}}) {
    CAPTURE(platform, density);
    const auto machine = make_machine(platform);
    const Traffic traffic(random_matrix(random, 30, density));
    const MappingProblem problem{machine, random_slots(random, machine, 34, 1), traffic, random.below(100)};
    const double load = max_load(problem, make_mapping("auto:budget=150", problem));
    for (const std::string mapper :
         {"consecutive", "random", "hilbert", "grasp:iterations=5", "anneal", "refine", "multilevel", "minmaxload",
          "rcm", "greedy", "greedyallc", "scotch", "tabu:iterations=20000"}) {
      CAPTURE(mapper);
      CHECK(load <= 1.02 * max_load(problem, make_mapping(mapper, problem)));
    }
  }
}

TEST_CASE("Candidates are measured rightly, stand once, and the first has the least product of load and hops",
          "[slow]") {
  core::Random random(2, "candidates");
  const auto machine = make_machine("torus:4x4x3,bw=1GBps/2GBps/2GBps");
  const Traffic traffic(permuted(stencil("grid=6x5"), shuffled_names(random, 30)));
  const MappingProblem problem{machine, random_slots(random, machine, 35, 1), traffic, 3};
  const auto all = candidates(problem, {2e7, Routing::dimension_order}).all;
  REQUIRE(all.size() > 4);
  std::set<std::string> names;
  std::set<std::vector<NodeId>> mappings;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& candidate : all) {
    CAPTURE(candidate.name);
    CHECK(names.insert(candidate.name).second);
    CHECK(mappings.insert(candidate.mapping.elements()).second);
    check_mapping(candidate.mapping, problem, candidate.name);
    CHECK(candidate.hops_per_byte == Approx(cost(problem, candidate.mapping) / bytes(problem)));
    core::IdVector<platforms::LinkId, double> load(machine.link_count());
    for (const auto from : traffic.matrix().rows.ids())
      for (const auto& cell : traffic.matrix().rows[from])
        machine.for_each_link(candidate.mapping[from], candidate.mapping[cell.to], [&](auto link) {
          load[link] += static_cast<double>(cell.bytes) / machine.link_bandwidth(link);
        });
    CHECK(candidate.peak_seconds == Approx(*std::max_element(load.begin(), load.end())));
    least = std::min(least, candidate.peak_seconds * candidate.cost);
  }
  CHECK(names.contains("mj"));
  CHECK(all.front().peak_seconds * all.front().cost == least);
}

TEST_CASE("The search for candidates keeps to its steps, and anneals two mappings, or four of a small job", "[slow]") {
  core::Random random(7, "effort");
  for (const auto& [ranks, annealed] : {std::pair{30, 4}, {150, 2}}) {
    CAPTURE(ranks);
    const auto machine = make_machine("mesh:13x12");
    const Traffic traffic(random_matrix(random, ranks, 0.1));
    const MappingProblem problem{machine, random_slots(random, machine, ranks, 1), traffic, 1};
    const Effort effort{5e7, Routing::dimension_order};
    const auto found = candidates(problem, effort);
    CHECK(found.steps <= effort.steps);
    CHECK(found.steps >= effort.steps / 2);
    CHECK(std::count_if(found.all.begin(), found.all.end(),
                        [](const auto& candidate) { return candidate.name.ends_with(", annealed"); }) == annealed);
  }
}

TEST_CASE("minmaxload is a candidate as it is, where its work is a small part of the steps", "[slow]") {
  core::Random random(9, "minmaxload");
  const auto machine = make_machine("torus:6x6");
  const Traffic traffic(random_matrix(random, 30, 0.1));
  const MappingProblem problem{machine, random_slots(random, machine, 30, 1), traffic, 1};
  const auto alone = make_mapping("minmaxload", problem);
  const auto has_it = [&](double steps) {
    const auto all = candidates(problem, {steps, Routing::dimension_order}).all;
    return std::any_of(all.begin(), all.end(), [&](const auto& candidate) {
      return candidate.name == "minmaxload" && candidate.mapping == alone;
    });
  };
  CHECK(has_it(2.1e8));
  CHECK_FALSE(has_it(1e7));
}

TEST_CASE("Where every message takes one link nothing else is tried, and auto says what it took") {
  core::Random random(3, "shape");
  const auto machine = make_machine("mesh:9x7");
  const Traffic traffic(permuted(stencil("grid=9x7"), shuffled_names(random, 63)));
  std::vector<std::string> notes;
  const MappingProblem problem{machine, all_nodes(machine), traffic, 1, nullptr, &notes};
  CHECK(cost(problem, make_mapping("auto", problem)) == bytes(problem));
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].starts_with("the traffic looks like "));
  CHECK(notes[1].starts_with("mj: 1.000 hops per byte, busiest link "));
  CHECK(notes[2] == "auto takes mj: nothing can be better");
}

/// Stencils whose small collective goes farther than a link.
Traffic stencil_with_collective(const std::string& spec, core::Random& random) {
  const auto trace = workloads::open_trace(spec);
  return Traffic(permuted(workloads::communication_matrix(*trace, {}), shuffled_names(random, trace->ranks())));
}

TEST_CASE("Where load and hops judge, a stencil with a small collective is laid down at once, one with a large is not",
          "[slow]") {
  core::Random random(8, "collective");
  const auto machine = make_machine("mesh:9x7");
  for (const auto& [bytes, is_tried_on] : {std::pair{"64KiB", false}, {"64B", true}}) {
    CAPTURE(bytes);
    const auto traffic = stencil_with_collective(fmt::format("stencil:grid=9x7,bytes={}", bytes), random);
    std::vector<std::string> notes;
    const MappingProblem problem{machine, all_nodes(machine), traffic, 1, nullptr, &notes};
    make_mapping("auto", problem);
    CHECK(says(notes, "auto takes mj: another mapping could have ") != is_tried_on);
    CHECK((notes.size() > 4) == is_tried_on);
  }
}

TEST_CASE("No mapping has a smaller product of load and hops than candidates say", "[slow]") {
  core::Random random(9, "bounds");
  // Whether the bound tells anything: not where two ranks may share a router, which costs no hop.
  for (const auto& [platform, tells] :
       std::vector<std::pair<std::string, bool>>{{"mesh:3x2", true},
                                                 {"torus:3x2,x.shared=yes", true},
                                                 {"mesh:3x2,bw=1GBps/3GBps", true},
                                                 {"ring:6", true},
                                                 {"torus:3x2,injection=500MBps,ejection=1GBps", true},
                                                 {"mesh:3x2,fail-link=0-1", true},
                                                 {"torus:3x2,x.twist=y+1", true},
                                                 {"mesh:3x2,cores=2", false},
                                                 {"mesh:3x2,router.routing=adaptive", true}}) {
    const auto machine = make_machine(platform);
    auto slots = all_nodes(machine);
    if (!tells) slots = {0, 0, 1, 1, 2, 3};
    int known = 0;
    for (int i = 0; i < 6; ++i) {
      auto matrix = random_matrix(random, 6, i % 2 == 0 ? 0.2 : 0.6);
      if (i % 3 == 0 && !matrix.rows[Rank(0)].empty()) matrix.rows[Rank(0)].front().bytes *= 20;
      const Traffic traffic(matrix);
      const MappingProblem problem{machine, slots, traffic, 1};
      const auto found = candidates(problem, {1e6, usual_routing(machine)});
      const TrafficGraph graph(matrix);
      const QuadraticCost weighted(graph, SlotCosts(machine, slots, weighted_distance));
      const Routes routes(machine, usual_routing(machine));
      const auto product = [&](const Mapping& mapping) {
        core::IdVector<platforms::LinkId, double> load(machine.link_count());
        double peak = 0;
        for (const auto from : matrix.rows.ids())
          for (const auto& cell : matrix.rows[from])
            routes.for_each_link(mapping[from], mapping[cell.to], [&](auto link) {
              load[link] += static_cast<double>(cell.bytes) / routes.ways() / machine.link_bandwidth(link);
              if (machine.is_of_grid(link)) peak = std::max(peak, load[link]);
            });
        return peak * weighted.total(assignment_of(mapping, slots));
      };
      double best = std::numeric_limits<double>::infinity(), least = best;
      for (const auto& candidate : found.all) best = std::min(best, product(candidate.mapping));
      auto order = in_order(6);
      do least = std::min(least, product(mapping_of(order, slots, 6)));
      while (std::next_permutation(order.elements().begin(), order.elements().end()));
      CAPTURE(platform, i, found.gain_at_most, best, least);
      CHECK(least >= (1 - found.gain_at_most) * best * (1 - 1e-9));
      known += found.gain_at_most < 0.7 ? 1 : 0;
    }
    CAPTURE(platform, known);
    CHECK((known > 0) == tells);
  }
}

TEST_CASE("One link for each message is not the end where messages may share it") {
  // A ring of pairs that exchange along a shared line or between nodes of two ranks each.
  const Traffic pairs(workloads::CommunicationMatrix{{{{1, 10, 1}}, {}, {{3, 10, 1}}, {}}});
  for (const auto& [platform, slots] : std::vector<std::pair<std::string, std::vector<NodeId>>>{
           {"mesh:4x2,x.shared=yes", {0, 1, 2, 3, 4, 5, 6, 7}}, {"mesh:2x2,cores=2", {0, 1, 0, 1, 2, 3}}}) {
    CAPTURE(platform);
    const auto machine = make_machine(platform);
    const MappingProblem problem{machine, slots, pairs, 1};
    CHECK(max_load(problem, make_mapping("consecutive", problem)) == 20);
    CHECK(max_load(problem, make_mapping("auto", problem)) <= 10);
  }
}

TEST_CASE("With a trace auto is as fast as each of its candidates, and no slower than simulated with fewer runs",
          "[slow]") {
  for (const std::string program : {"cg:class=S,ranks=16,iterations=1", "stencil:grid=4x2x2,steps=2,bytes=64KiB"}) {
    CAPTURE(program);
    const auto machine = make_machine("mesh:4x5");
    const auto trace = workloads::open_trace(program);
    const netsim::ReplayOptions replay;
    const Program what{*trace, replay};
    const Traffic traffic(*trace, replay.collectives);
    std::vector<std::string> notes;
    const MappingProblem problem{machine, all_nodes(machine), traffic, 4, &what, &notes};
    const auto runtime = [&](const Mapping& mapping) {
      return netsim::run({machine, *trace, mapping, replay, "fluid"}).runtime;
    };
    const auto chosen = make_mapping("auto", problem);
    CHECK(says(notes, "by fluid"));
    const double best = runtime(chosen);
    const auto all = candidates(problem, {}).all;
    CHECK(all.size() > 4);
    for (const auto& candidate : all) CHECK(best <= runtime(candidate.mapping));
    CHECK(best <= runtime(make_mapping("simulated:candidates=1,runs=40", problem)));
    CHECK(make_mapping("auto:seed=4", problem) == chosen);
  }
}

TEST_CASE("auto swaps ranks as long as that runs faster, and says by how much") {
  // A star on a line: the middle is best for its hub, which no cost of bytes and hops alone tells from its neighbours.
  std::string text;
  for (int r = 1; r < 8; ++r) text += fmt::format("0 send {0} 0 {1} 6\n{0} recv 0 0 0 6\n", r, 10'000 * r);
  const auto machine = make_machine("mesh:8");
  const auto star = test::trace_of(text);
  const netsim::ReplayOptions replay;
  const Program program{*star, replay};
  const Traffic traffic(*star, replay.collectives);
  std::vector<std::string> notes;
  const MappingProblem problem{machine, all_nodes(machine), traffic, 1, &program, &notes};
  const auto chosen = make_mapping("auto", problem);
  const auto runtime = [&](const Mapping& mapping) {
    return netsim::run({machine, *star, mapping, replay, "fluid"}).runtime;
  };
  const double best = runtime(chosen);
  for (Rank a = 0; a < 8; ++a)
    for (Rank b = 0; b < a; ++b) {
      auto swapped = chosen;
      std::swap(swapped[a], swapped[b]);
      CHECK(runtime(swapped) >= best);
    }
}

TEST_CASE("auto with too small a budget, or with a program that cannot run, judges by load and says so") {
  const auto machine = make_machine("mesh:4x4");
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  const auto broken = test::trace_of("0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const netsim::ReplayOptions replay;
  const Program dear{*trace, replay}, stuck{*broken, replay};
  const Traffic traffic(*trace, replay.collectives);
  core::Random random(5, "stuck");
  const Traffic pair(random_matrix(random, 2, 1));
  std::vector<std::string> notes;
  make_mapping("auto:budget=1", {machine, all_nodes(machine), traffic, 1, &dear, &notes});
  CHECK(says(notes, "the least product of load and hops; its budget is not enough to simulate two of them"));
  notes.clear();
  const std::vector<NodeId> apart{0, 5, 10};
  make_mapping("auto", {machine, apart, pair, 1, &stuck, &notes});
  CHECK(says(notes, "it cannot be simulated (deadlock"));
  notes.clear();
  make_mapping("auto:engine=none", {machine, all_nodes(machine), traffic, 1, &dear, &notes});
  CHECK(says(notes, "the least product of load and hops"));
  CHECK_FALSE(says(notes, "run time"));
}

TEST_CASE("Where routers route adaptively auto simulates packets, those of the machine where enough of that fits",
          "[slow]") {
  const auto trace = workloads::open_trace("cg:class=S,ranks=16,iterations=1");
  const netsim::ReplayOptions replay;
  const Program program{*trace, replay};
  const Traffic traffic(*trace, replay.collectives);
  const auto machine = make_machine("torus:4x4");
  const auto notes_of = [&](const std::string& platform, const std::string& mapper) {
    const auto its_machine = make_machine(platform);
    std::vector<std::string> notes;
    auto chosen = make_mapping(mapper, {its_machine, all_nodes(its_machine), traffic, 1, &program, &notes});
    return std::pair(notes, std::move(chosen));
  };
  const std::string adaptive = "torus:4x4,router.routing=adaptive", own = "packet:routing=adaptive";
  const auto runtime = [&](const Mapping& mapping) {
    return netsim::run({machine, *trace, mapping, replay, own}).runtime;
  };
  CHECK(says(notes_of("torus:4x4", "auto").first, "by fluid"));
  const auto [reasons, chosen] = notes_of(adaptive, "auto");
  CHECK(notes_of("torus:4x4", "auto:routing=adaptive").second == chosen);
  CHECK(says(reasons, " by " + own));
  CHECK_FALSE(says(reasons, "packet=2048"));
  CHECK(says(notes_of(adaptive, "auto:budget=20").first, " by " + own + ",packet=2048"));
  for (const std::string rival : {"scotch", "multilevel", "tabu", "minmaxload:routing=adaptive", "rcm", "consecutive"})
    CHECK(runtime(chosen) <= runtime(notes_of(adaptive, rival).second));
  CHECK(says(notes_of("torus:4x4,router.routing=adaptive,router.packet=1B,router.buffer=64B", "auto:budget=9").first,
             "the least product of load and hops; it cannot be simulated (a simulation takes more than"));
  // Where packets cannot be simulated, loads decide; an engine that is asked for is refused.
  const auto twisted = make_machine("torus:4x4,x.twist=y+2,router.routing=adaptive");
  std::vector<std::string> notes;
  const MappingProblem problem{twisted, all_nodes(twisted), traffic, 1, &program, &notes};
  make_mapping("auto:budget=9", problem);
  CHECK(says(notes, "the least product of load and hops; it cannot be simulated (engine packet: "));
  CHECK_THROWS_AS(make_mapping("auto:budget=9,engine=(packet:routing=adaptive)", problem), core::InputError);
}

TEST_CASE("Collectives along the axes of a torus get rows of nodes, whatever the order of the allocation", "[slow]") {
  // The messages follow from the nodes, which the traffic does not tell.
  const auto trace = workloads::open_trace("sharded:mesh=16x8,all-gather=1MB,all-reduce=1MB");
  const Program program{*trace, {}};
  const Traffic traffic(*trace);
  const auto machine = make_machine("torus:8x4x4");
  const auto runtime = [&](const std::string& mapper, const std::vector<NodeId>& slots) {
    const auto mapping = make_mapping(mapper, {machine, slots, traffic, 1, &program});
    return netsim::run({machine, *trace, mapping, {}, "fluid"}).runtime;
  };
  const double rows = runtime("consecutive", all_nodes(machine));
  core::Random random(16, "rows");
  for (int i = 0; i < 2; ++i) {
    const auto slots = random_slots(random, machine, 128, 1);
    CHECK(runtime("auto:budget=100", slots) <= 1.0001 * std::min(rows, runtime("multilevel", slots)));
  }
}

TEST_CASE("For adaptive routes auto counts half of each message in each order of dimensions") {
  core::Random random(6, "adaptive");
  const auto machine = make_machine("torus:4x4");
  const Traffic traffic(random_matrix(random, 16, 0.2));
  std::vector<std::string> notes;
  const MappingProblem problem{machine, all_nodes(machine), traffic, 2, nullptr, &notes};
  const auto peak = [&](const Mapping& mapping) {
    std::vector<Machine> machines{machine, make_machine("torus:4x4,routing=y x")};
    core::IdVector<platforms::LinkId, double> load(machine.link_count());
    for (const auto from : traffic.matrix().rows.ids())
      for (const auto& cell : traffic.matrix().rows[from])
        for (const auto& each : machines)
          each.for_each_link(mapping[from], mapping[cell.to],
                             [&](auto link) { load[link] += static_cast<double>(cell.bytes) / 2; });
    return *std::max_element(load.begin(), load.end());
  };
  const double reached = peak(make_mapping("auto:routing=adaptive", problem));
  for (const std::string mapper : {"auto", "multilevel", "minmaxload:routing=adaptive", "tabu"})
    CHECK(reached <= 1.02 * peak(make_mapping(mapper, problem)));
}

TEST_CASE("quick has the least product of load and hops of the mappers that it tries, whatever the seed") {
  core::Random random(4, "quick");
  for (const std::string platform : {"torus:4x4x4", "mesh:8x8", "torus:6x6,bw=1GBps/4GBps"})
    for (const bool is_grid : {true, false}) {
      CAPTURE(platform, is_grid);
      const auto machine = make_machine(platform);
      const Traffic traffic(is_grid ? permuted(stencil("grid=6x5"), shuffled_names(random, 30))
                                    : random_matrix(random, 30, 0.1));
      MappingProblem problem{machine, random_slots(random, machine, 33, 1), traffic, 1};
      const auto product = [&](const Mapping& mapping) {
        return cost(problem, mapping) * measure(machine, mapping, traffic.matrix()).loads.max_seconds;
      };
      const auto mapping = make_mapping("quick", problem);
      problem.seed = 2;
      CHECK(make_mapping("quick", problem) == mapping);
      for (const std::string mapper : {"consecutive", "hilbert", "snake", "morton", "greedyallc"})
        CHECK(product(mapping) <= 1.000001 * product(make_mapping(mapper, problem)));
      if (is_grid) CHECK(cost(problem, mapping) < 0.8 * cost(problem, make_mapping("consecutive", problem)));
    }
}

TEST_CASE("quick keeps the order of the nodes where no other is better") {
  const auto machine = make_machine("torus:4x4x4");
  core::Random random(5, "quick");
  const auto slots = random_slots(random, machine, 20, 1);
  workloads::CommunicationMatrix silent, all_to_all;
  silent.rows.resize(20);
  all_to_all.rows.resize(20);
  for (const auto from : all_to_all.rows.ids())
    for (const auto to : all_to_all.rows.ids())
      if (to != from) all_to_all.rows[from].push_back({to, 100, 1});
  for (const auto& matrix : {silent, all_to_all}) {
    const Traffic traffic(matrix);
    CHECK(make_mapping("quick", {machine, slots, traffic}) == make_mapping("consecutive", {machine, slots, traffic}));
  }
}

}  // namespace
}  // namespace toroid::mapping
