// The engine fluid with a tolerance: its bound holds after every solve, whatever came before, and run times stay near.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/netsim/flows.hpp"
#include "tests/netsim/rates.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;
using netsim::MaxMin;
using test::ByLink;
using test::PlainClass;

namespace {

/// A torus whose nodes always send to random others: a route each, through many full links.
std::vector<MaxMin::Link> grid_route(core::Random& random, const platforms::Machine& machine, platforms::NodeId from) {
  const auto nodes = static_cast<std::uint64_t>(machine.node_count());
  const auto to = platforms::NodeId((from.index() + 1 + random.below(nodes - 1)) % nodes);
  std::vector<MaxMin::Link> route;
  machine.for_each_link(from, to, [&](MaxMin::Link link) { route.push_back(link); });
  return route;
}

/// What the classes that the solver told of have as rates is what all have: nobody's rate changes in silence.
void check_told(const std::vector<PlainClass>& classes, const MaxMin& solver, std::vector<double>& rates,
                std::span<const MaxMin::ClassId> told) {
  for (const auto id : told) {
    rates.resize(std::max(rates.size(), id + std::size_t{1}));
    rates[id] = solver.rate(id);
  }
  for (const auto& c : classes) REQUIRE(rates[c.id] == solver.rate(c.id));
}

netsim::Result run(const std::string& machine_spec, const std::string& program, const std::string& engine,
                   netsim::Repeats repeats = netsim::Repeats::off) {
  const auto machine = platforms::make_machine(machine_spec);
  const auto trace = workloads::open_trace(program);
  return netsim::run({machine, *trace, test::in_order(machine, trace->ranks()), {.repeats = repeats}, engine});
}

double off(double found, double expected) {
  return std::abs(found / expected - 1);
}

template <class T>
const T& any_of(core::Random& random, const std::vector<T>& all) {
  return all[random.below(all.size())];
}

std::string random_program(core::Random& random, const std::string& shape, std::int32_t nodes) {
  static const std::vector<std::string> patterns{"uniform", "hot-spot", "random", "neighbour", "tornado"};
  const int most = nodes >= 64 ? 64 : 16;
  switch (random.below(7)) {
    case 0:
      return fmt::format("lu:class=W,iterations=10,ranks={}", most);
    case 1:
      return fmt::format("cg:class={},iterations=4,ranks={}", random.below(2) == 0 ? "S" : "W", most);
    case 2:
      return "ft:class=S,ranks=16";
    case 3:
      return fmt::format("lulesh:ranks={},steps={},elements={}", nodes >= 64 ? 64 : 8, 1 + random.below(10),
                         5 + random.below(40));
    case 4:
      return fmt::format("stencil:grid={},bytes={}KiB,steps={}", shape, 1 + random.below(200), 1 + random.below(20));
    default:
      return fmt::format("traffic:pattern={},grid={},messages={},bytes={}KiB,seed={}", any_of(random, patterns), shape,
                         5 + random.below(40), 1 + random.below(100), random.below(1000));
  }
}

/// A program in random places, or in order.
struct RandomCase {
  explicit RandomCase(core::Random& random) {
    static const std::vector<std::string> shapes{"8x8", "4x4x4", "16", "6x6", "12x12", "4x4"};
    const auto& shape = any_of(random, shapes);
    description = platforms::make_machine(fmt::format("{}:{},bw={}MBps", random.below(2) == 0 ? "mesh" : "torus", shape,
                                                      100 + random.below(2000)))
                      .description();
    const platforms::Machine machine(description);
    trace = workloads::open_trace(random_program(random, shape, machine.node_count()));
    std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
    if (random.below(3) > 0) random.shuffle(nodes);
    nodes.resize(static_cast<std::size_t>(trace->ranks()));
    mapping = netsim::Mapping(nodes);
    options = {.repeats = netsim::Repeats::off};
    if (random.below(3) == 0) options.compute_scale = 1;
  }
  double runtime(const std::string& engine, double bandwidths = 1) const {
    auto changed = description;
    for (auto& dimension : changed.dimensions) dimension.bandwidth *= bandwidths;
    const platforms::Machine machine(changed);
    return netsim::run({machine, *trace, mapping, options, engine}).runtime;
  }
  /// Whether the time without a tolerance changes by more than 3e-5 where all bandwidths change by 1e-5 or less: who
  /// comes first then matters more than any rate.
  bool is_decided_by_chance() const {
    const double first = runtime("fluid", 1 + 1e-9);
    return std::ranges::any_of(std::vector{-1e-9, 1e-7, -1e-5}, [&](double change) {
      return std::abs(runtime("fluid", 1 + change) / first - 1) > 3e-5;
    });
  }
  platforms::Description description;
  std::unique_ptr<workloads::Trace> trace;
  netsim::Mapping mapping;
  netsim::ReplayOptions options;
};

/// Median, 90 %, 99 %, worst and mean with its sign, in percent.
std::string distribution(std::vector<double> all) {
  double mean = 0;
  for (auto& each : all) mean += 100 * std::exchange(each, 100 * std::abs(each)) / static_cast<double>(all.size());
  std::sort(all.begin(), all.end());
  const auto at = [&](std::size_t percent) { return all[(all.size() * percent + 99) / 100 - 1]; };
  return fmt::format("{} cases: {:.3f}, {:.3f}, {:.2f}, {:.2f} and {:+.3f} %", all.size(), at(50), at(90), at(99),
                     all.back(), mean);
}

}  // namespace

TEST_CASE("with a tolerance each link carries what it may after any changes") {
  core::Random random(31, "tolerance/solver");
  for (int round = 0; round < test::tenth_if_sanitized(60); ++round) {
    const auto capacities = test::random_capacities(random);
    const double tolerance = 0.2 * random.unit();
    const auto most = 1 + random.below(60);
    MaxMin solver(capacities, tolerance);
    std::vector<PlainClass> classes;
    std::vector<double> rates;
    for (int step = 0; step < 400; ++step) {
      for (auto changes = 1 + random.below(4); changes > 0; --changes)
        test::change_something(random, solver, classes, capacities.size(), most);
      check_told(classes, solver, rates, solver.solve());
      test::check_fair(capacities, classes, solver, tolerance);
    }
  }
}

TEST_CASE("what links owe neither grows nor drifts where all links are full") {
  const auto machine = platforms::make_machine("torus:20x20");
  const ByLink capacities = netsim::link_capacities(machine);
  core::Random random(32, "tolerance/saturated");
  constexpr double tolerance = 0.02;
  MaxMin solver(capacities, tolerance), exact(capacities);
  std::vector<PlainClass> classes;
  const auto begin = [&](PlainClass& c, platforms::NodeId from) {
    c = {grid_route(random, machine, from), 1, 0};
    c.id = solver.add(c.route);
    REQUIRE(exact.add(c.route) == c.id);
    for (auto* each : {&solver, &exact}) each->set_weight(c.id, 1);
  };
  for (const auto node : machine.nodes()) begin(classes.emplace_back(), node);
  double sum = 0, exact_sum = 0;
  for (int step = 0; step < test::tenth_if_sanitized(1000); ++step) {
    const auto node = random.below(classes.size());
    for (auto* each : {&solver, &exact}) each->set_weight(classes[node].id, 0);
    begin(classes[node], platforms::NodeId(node));
    solver.solve();
    exact.solve();
    if (step % 100 == 0) test::check_fair(capacities, classes, solver, tolerance);
    for (const auto& c : classes) sum += solver.rate(c.id), exact_sum += exact.rate(c.id);
  }
  CHECK(solver.visits() < exact.visits());
  CHECK(off(sum, exact_sum) < tolerance / 20);  // debts have both signs
}

TEST_CASE("other capacities hold at once with a tolerance, too") {
  core::Random random(33, "tolerance/capacities");
  auto capacities = test::random_capacities(random);
  MaxMin solver(capacities, 0.05);
  std::vector<PlainClass> classes;
  for (int step = 0; step < 1000; ++step) {
    test::change_something(random, solver, classes, capacities.size(), 30);
    const auto link = MaxMin::Link(random.below(capacities.size()));
    capacities[link] *= 0.5 + random.unit();
    solver.set_capacity(link, capacities[link]);
    solver.solve();
    test::check_fair(capacities, classes, solver, 0.05);
  }
}

TEST_CASE("flows of one machine that begin together end as without a tolerance") {
  core::Random random(34, "tolerance/together");
  for (const char* spec : {"torus:8x8", "mesh:4x4x4", "torus:5x7"}) {
    const auto machine = platforms::make_machine(spec);
    std::vector<test::Flow> flows;
    for (const auto node : machine.nodes())
      for (std::size_t way = 0; way < 2 * machine.grid().dimension_count(); ++way) {
        const auto router = machine.grid().neighbour(machine.router(node), way / 2, way % 2 == 0);
        if (router >= 0) flows.push_back({node, machine.first_node(router), 100000, 0});
      }
    CHECK(test::engine_end_times(machine, flows, "fluid:tolerance=0.5%") ==
          test::engine_end_times(machine, flows, "fluid"));
  }
}

TEST_CASE("run times are within the tolerance in the median, and nine of ten within three times as much") {
  core::Random random(35, "tolerance/programs");
  constexpr double tolerance = 1e-3;
  const std::string shapes[] = {"8x8", "4x4x4", "6x6", "16"};
  std::vector<double> all;
  for (int i = 0; i < test::tenth_if_sanitized(60); ++i) {
    const auto& shape = shapes[random.below(4)];
    const auto machine =
        fmt::format("{}:{},bw={}MBps", random.below(2) == 0 ? "mesh" : "torus", shape, 100 + random.below(2000));
    const auto program = random.below(2) == 0
                             ? fmt::format("traffic:grid={},messages={},bytes={}KiB,seed={}", shape,
                                           1 + random.below(10), 1 + random.below(100), i)
                             : fmt::format("stencil:grid={},bytes={}KiB,steps=5", shape, 1 + random.below(100));
    all.push_back(off(run(machine, program, "fluid:tolerance=0.1%").runtime, run(machine, program, "fluid").runtime));
  }
  std::sort(all.begin(), all.end());
  CHECK(all[all.size() / 2] < tolerance);
  CHECK(all[all.size() * 9 / 10] < 3 * tolerance);
}

TEST_CASE("run times of 200 programs with a tolerance and without", "[.tolerance]") {
  core::Random random(7, "fluid_tolerance");
  std::vector<double> steady, by_chance;
  for (int i = 0; i < 200; ++i) {
    const RandomCase one(random);
    (one.is_decided_by_chance() ? by_chance : steady)
        .push_back(one.runtime("fluid:tolerance=0.1%") / one.runtime("fluid") - 1);
  }
  WARN("steady, " << distribution(steady) << "; decided by chance, " << distribution(by_chance));
  std::ranges::nth_element(steady, steady.begin() + 100, {}, [](double each) { return std::abs(each); });
  CHECK(std::abs(steady[100]) < 1e-3);
}

TEST_CASE("a tolerance is among the settings of a run, and changes none without it") {
  const auto setting = [](const std::string& engine) {
    const auto result = run("mesh:2", "stencil:grid=2", engine);
    const auto& all = result.engine_settings;
    const auto found = std::find_if(all.begin(), all.end(), [](const auto& each) { return each.first == "tolerance"; });
    return found == all.end() ? "" : found->second;
  };
  CHECK(setting("fluid").empty());
  CHECK(setting("fluid:tolerance=0%").empty());
  CHECK(setting("fluid:tolerance=0.1%") == "0.1%");
  for (const char* wrong : {"0.1", "-1%", "3%", "much%", "%"})
    CHECK_THROWS_WITH(netsim::EngineChoice(std::string("fluid:tolerance=") + wrong),
                      Catch::Contains("expected a share from 0% to 2%"));
}

TEST_CASE("iterations repeat with a tolerance") {
  const std::string machine = "torus:4x4", program = "stencil:grid=4x4,steps=200,bytes=64KiB";
  const auto whole = run(machine, program, "fluid:tolerance=0.1%");
  const auto passed = run(machine, program, "fluid:tolerance=0.1%", netsim::Repeats::exact);
  REQUIRE(passed.jobs.front().repeated > 0);
  CHECK(off(passed.runtime, whole.runtime) < 1e-9);
}

TEST_CASE("charges and windows are near those without a tolerance") {
  const auto machine = platforms::make_machine("torus:8x8");
  const auto near = workloads::open_trace("stencil:grid=4x8,steps=5,bytes=300KiB");
  const auto far = workloads::open_trace("traffic:grid=32,messages=20,bytes=50KiB");
  netsim::Mapping even, odd;
  for (const auto node : machine.nodes()) (node.index() % 2 == 0 ? even : odd).add(node);
  const auto run_both = [&](const std::string& engine) {
    netsim::Run both{machine, {{"near", *near, even}, {"far", *far, odd}}, engine, 64};
    both.keep_windows = true;
    return netsim::run(both);
  };
  const auto found = run_both("fluid:tolerance=0.1%"), expected = run_both("fluid");
  for (std::size_t job = 0; job < 2; ++job) {
    const auto &a = found.jobs[job], &b = expected.jobs[job];
    CHECK(off(a.end, b.end) < 0.01);
    CHECK(a.charges[1 - job] == Approx(b.charges[1 - job]).margin(0.02 * b.end));
  }
  for (std::size_t i = 0; i < expected.links.size(); ++i) {
    CHECK(found.links[i].bytes == expected.links[i].bytes);
    CHECK(found.links[i].mean_utilization <= 1.03);  // links owe ten times the tolerance
  }
}

TEST_CASE("mappings that differ by more than the tolerance have the same order") {
  const auto machine = platforms::make_machine("torus:8x8");
  for (const char* program : {"traffic:grid=8x8,messages=10,bytes=20KiB", "stencil:grid=8x8,bytes=64KiB,steps=3"}) {
    const auto trace = workloads::open_trace(program);
    core::Random random(36, "tolerance/verdicts");
    std::vector<std::pair<double, double>> times;
    for (int i = 0; i < 5; ++i) {
      std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
      random.shuffle(nodes);
      const auto time = [&](const std::string& engine) {
        return netsim::run({machine, *trace, netsim::Mapping(nodes), {.repeats = netsim::Repeats::off}, engine})
            .runtime;
      };
      times.emplace_back(time("fluid"), time("fluid:tolerance=0.1%"));
    }
    for (const auto& [exact, found] : times)
      for (const auto& [other_exact, other_found] : times)
        if (exact < other_exact * (1 - 0.01)) CHECK(found < other_found);
  }
}
