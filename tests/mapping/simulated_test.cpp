#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "mapping/portfolio/candidates.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::mapping {
namespace {

using test::message_of;

/// A program on a machine, and what its mappings lead to.
struct Job {
  Machine machine;
  std::unique_ptr<workloads::Trace> trace;
  netsim::ReplayOptions replay = {};
  std::size_t per_node = 1;

  Mapping map(const std::string& mapper, std::uint64_t seed = 1) const {
    const Program program{*trace, replay};
    const Traffic traffic(*trace, replay.collectives);
    std::vector<NodeId> slots;
    for (const NodeId node : all_nodes(machine)) slots.insert(slots.end(), per_node, node);
    return make_mapping(mapper, {machine, slots, traffic, seed, &program});
  }
  double runtime(const Mapping& mapping, const std::string& engine = "fluid") const {
    return netsim::run({machine, *trace, mapping, replay, engine}).runtime;
  }
};

Job job(const std::string& machine, const std::string& trace) {
  return {platforms::make_machine(machine), workloads::open_trace(trace)};
}

/// Ranks in one ring, and rank 0 with all: no mapping onto a line suits them all.
std::unique_ptr<workloads::Trace> ring_and_star(int ranks) {
  std::string text;
  for (int r = 0; r < ranks; ++r) {
    text += fmt::format("{} isend {} 0 {} 6\n", r, (r + 1) % ranks, 100000 * (r + 1));
    text += fmt::format("{} irecv {} 0 0 6\n", r, (r + ranks - 1) % ranks);
    if (r > 0) text += fmt::format("{} isend 0 1 300000 6\n0 irecv {} 1 0 6\n", r, r);
    text += fmt::format("{} waitall {}\n", r, r > 0 ? 3 : 2);
  }
  text += fmt::format("0 waitall {}\n", ranks - 1);
  return test::trace_of(text);
}

TEST_CASE("simulated finds the fastest of all mappings of a small job") {
  for (const char* machine : {"mesh:5", "ring:5"}) {
    const Job small{platforms::make_machine(machine), ring_and_star(5)};
    auto nodes = all_nodes(small.machine);
    double best = std::numeric_limits<double>::infinity(), worst = 0;
    do {
      const double runtime = small.runtime(Mapping(std::vector(nodes.begin(), nodes.begin() + 5)));
      best = std::min(best, runtime);
      worst = std::max(worst, runtime);
    } while (std::next_permutation(nodes.begin(), nodes.end()));
    INFO(machine);
    CHECK(best < worst);
    const auto found = small.runtime(small.map("simulated:base=random,candidates=8,runs=400"));
    CHECK(found == best);
  }
}

TEST_CASE("simulated beats the mappings that it starts from where links are contended", "[slow]") {
  for (const char* trace : {"stencil:grid=4x2x2,steps=2,bytes=64KiB", "cg:class=S,ranks=16,iterations=1"}) {
    const auto contended = job("mesh:4x4", trace);
    const double base = contended.runtime(contended.map("random"));
    CHECK(contended.runtime(contended.map("simulated:base=random,candidates=1,runs=40")) < 0.9 * base);
  }
}

TEST_CASE("simulated is never slower than a base with the same seed") {
  const auto some = job("torus:3x3,lat=10us", "cg:class=S,ranks=4,iterations=1");
  for (const std::string base : {"consecutive", "random", "grasp:cost=td"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO(base << ", seed " << seed);
      const auto mapping = some.map(fmt::format("simulated:base=({})+random,candidates=2,runs=6", base), seed);
      CHECK(some.runtime(mapping) <= some.runtime(some.map(base, seed)));
    }
}

TEST_CASE("With one run simulated gives its first base") {
  const auto some = job("mesh:4x4", "stencil:grid=4x4,steps=1");
  CHECK(some.map("simulated:base=random+consecutive,runs=1", 5) == some.map("random", 5));
}

TEST_CASE("The bases of simulated are whole specs") {
  const auto some = job("mesh:4x4", "cg:class=S,ranks=16,iterations=1");
  const std::string grasp = "grasp:cost=td,iterations=1,seed=3";
  const auto alone = some.map(grasp);
  CHECK(alone != some.map("grasp:cost=td,seed=3"));
  CHECK(some.map("simulated:runs=1,base=(" + grasp + ")") == alone);
  CHECK(some.map("simulated:runs=1,base=((" + grasp + "))") == alone);
  CHECK(some.map("simulated:runs=1,base=(" + grasp + ")+random") == alone);
}

TEST_CASE("simulated uses free slots, and slots that share a node") {
  // Two ranks that send to each other: best on one node.
  Job pair{platforms::make_machine("mesh:6,cores=2"), test::trace_of("0 send 1 0 1000000 6\n1 recv 0 0 0 6\n")};
  const auto apart = pair.map("simulated:base=random,candidates=2");
  CHECK(std::abs(apart[0] - apart[1]) == 1);
  pair.per_node = 2;
  const auto together = pair.map("simulated:base=random,candidates=2");
  CHECK(together[0] == together[1]);
}

TEST_CASE("simulated judges by the engine and the replay that are asked for") {
  auto some = job("mesh:2x3", "cg:class=S,ranks=4,iterations=1");
  const auto by_reference = some.map("simulated:base=random,candidates=2,runs=12,engine=simgrid");
  CHECK(some.runtime(by_reference) == Approx(some.runtime(some.map("simulated:base=random,candidates=2,runs=12"))));
  some.replay.eager_threshold = 0;
  some.replay.envelope = 1000000;
  CHECK(some.runtime(some.map("simulated:base=random,candidates=1,runs=30")) <= some.runtime(some.map("random")));
}

TEST_CASE("simulated depends on its seed only if a base does") {
  const auto uses_seed = [](const char* text) { return mappers().make(text)->uses_seed(); };
  CHECK(uses_seed("simulated"));
  CHECK(uses_seed("simulated:base=consecutive+random"));
  CHECK_FALSE(uses_seed("simulated:base=consecutive"));
  CHECK_FALSE(uses_seed("simulated:base=(random:seed=3)"));
  CHECK_FALSE(uses_seed("simulated:seed=3"));
  const auto some = job("mesh:3x3", "cg:class=S,ranks=4,iterations=1");
  CHECK(some.map("simulated:base=random,runs=9", 1) == some.map("simulated:base=random,runs=9", 1));
  CHECK(some.map("simulated:base=random,runs=9,seed=4", 1) == some.map("simulated:base=random,runs=9", 4));
}

TEST_CASE("simulated needs a trace, an engine and bases that are there") {
  const auto error_of = [](auto action) { return test::error_of(action); };
  const auto machine = platforms::make_machine("mesh:4");
  CommunicationMatrix matrix;
  matrix.rows.resize(2);
  const Traffic traffic(matrix);
  CHECK(error_of([&] {
          make_mapping("simulated", {machine, all_nodes(machine), traffic});
        }) == "mapper 'simulated': found a communication matrix only, expected a trace to simulate");
  CHECK(error_of([] { mappers().make("simulated:engine=warp"); }).starts_with("unknown engine 'warp'"));
  CHECK(error_of([] { mappers().make("simulated:base=nonsense"); }).starts_with("'nonsense': no such mapper"));
  CHECK(error_of([] { mappers().make("simulated:base=random+"); }).starts_with("'': no such mapper"));
  CHECK(error_of([] { mappers().make("simulated:base=(grasp:cost=x)"); }).starts_with("unknown cost 'x'"));
  CHECK(error_of([] { mappers().make("simulated:runs=0"); }).find("runs") != std::string::npos);
  const test::Scratch scratch;
  const auto file = scratch.write("a.map", "0\n1\n");
  CHECK(mappers().make("simulated:base=random+" + file)->file() == file);
  CHECK(error_of([&] {
          mappers().make("simulated:base=" + file + "+(file:" + file + ")");
        }).find("two mapping files") != std::string::npos);
}

TEST_CASE("What may be simulated is counted in runs, or in the work that they were") {
  auto some = job("mesh:4", "stencil:grid=4,steps=400");
  const Traffic traffic(*some.trace, some.replay.collectives);
  const auto runs_of = [&](const Allowance& allowance) {
    const Program program{*some.trace, some.replay};
    const MappingProblem problem{some.machine, all_nodes(some.machine), traffic, 1, &program};
    SimulationJudge judge(problem, netsim::fast_engine, allowance);
    auto nodes = all_nodes(some.machine);
    std::size_t runs = 0;
    for (; !judge.exhausted() && runs < 20; ++runs, std::next_permutation(nodes.begin(), nodes.end()))
      judge(Mapping(nodes));
    return runs;
  };
  CHECK(runs_of({.runs = 3}) == 3);
  some.replay.repeats = netsim::Repeats::off;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  auto nodes = all_nodes(some.machine);
  do {
    const double work =
        netsim::run_counted({some.machine, *some.trace, Mapping(nodes), some.replay, netsim::fast_engine}).work;
    least = std::min(least, work);
    most = std::max(most, work);
  } while (std::next_permutation(nodes.begin(), nodes.end()));
  const auto runs = static_cast<double>(runs_of({.steps = 10 * most}));
  CHECK(runs >= 10);
  CHECK(runs <= 10 * most / least);
  CHECK(message_of<core::SimulationError>([&] {
          runs_of({.steps = 0.1 * least});  // far from enough for two
        }).starts_with("a simulation takes more than"));
  some.replay.repeats = netsim::ReplayOptions{}.repeats;
  CHECK(runs_of({.steps = 3 * most}) == 20);  // the iterations repeat: a run is little work
}

TEST_CASE("A descent ends at a mapping that no swap makes faster, after too many failures, or with its judge") {
  const Job star{platforms::make_machine("mesh:3x3"), ring_and_star(7)};
  const Traffic traffic(*star.trace, star.replay.collectives);
  const Program program{*star.trace, star.replay};
  const auto nodes = all_nodes(star.machine);
  const MappingProblem problem{star.machine, nodes, traffic, 1, &program};
  const Mapping start(std::vector(nodes.begin(), nodes.begin() + 7));  // the hub is in a corner
  const auto descent = [&](const Allowance& allowance, std::size_t patience) {
    SimulationJudge judge(problem, netsim::fast_engine, allowance);
    return simulated_descent(problem, judge, start, Routing::dimension_order, patience);
  };
  const auto end = descent({}, 1000);
  const double runtime = star.runtime(end);
  CHECK(runtime < star.runtime(start));
  for (workloads::Rank a = 0; a < 7; ++a)
    for (const NodeId node : nodes) {
      auto moved = end;
      for (auto& other : moved)
        if (other == node) other = end[a];
      moved[a] = node;
      CHECK(star.runtime(moved) >= runtime);
    }
  CHECK(descent({}, 0) == start);
  CHECK(descent({.runs = 1}, 1000) == start);
}

TEST_CASE("simulated says what fails in the program") {
  const Job broken{platforms::make_machine("mesh:2"), test::trace_of("0 recv 1 0 8 6\n1 recv 0 0 8 6\n")};
  CHECK(message_of<core::SimulationError>([&] { broken.map("simulated"); }).starts_with("deadlock"));
}

}  // namespace
}  // namespace toroid::mapping
