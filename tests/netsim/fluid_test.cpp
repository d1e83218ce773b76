// Attacks on the fluid engine: its solver against plain progressive filling, its clock and its bookkeeping at their
// limits, and all of it against the slow reference and SimGrid.

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "core/random.hpp"
#include "netsim/fluid/max_min.hpp"
#include "netsim/network.hpp"
#include "platforms/xml.hpp"
#include "tests/netsim/flows.hpp"
#include "tests/netsim/rates.hpp"
#include "tests/support/sanitized.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using netsim::MaxMin;
using test::ByLink;
using test::change_something;
using test::check_equal;
using test::check_fair;
using test::engine_end_times;
using test::Flow;
using test::PlainClass;
using test::random_capacities;
using test::random_flows;
using test::random_machine;
using test::random_route;
using test::reference_end_times;

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

// The solver.

/// The link with the least share for those that still rise, found by looking at all of them.
MaxMin::Link narrowest(const ByLink& left, const ByLink& rising) {
  MaxMin::Link best = MaxMin::Link::none();
  double least = forever;
  for (const auto l : left.ids()) {
    if (rising[l] == 0 || left[l] / rising[l] >= least) continue;
    least = left[l] / rising[l];
    best = l;
  }
  return best;
}

std::vector<double> plain_rates(const ByLink& capacities, const std::vector<PlainClass>& classes) {
  std::vector<double> rates(classes.size(), -1);
  for (;;) {
    ByLink left = capacities, rising(capacities.size(), 0);
    for (std::size_t c = 0; c < classes.size(); ++c)
      for (const auto link : classes[c].route) {
        if (rates[c] < 0)
          rising[link] += classes[c].weight;
        else
          left[link] -= rates[c] * classes[c].weight;
      }
    const auto full = narrowest(left, rising);
    if (full < 0) return rates;
    const double level = left[full] / rising[full];
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto& route = classes[c].route;
      if (rates[c] < 0 && std::find(route.begin(), route.end(), full) != route.end()) rates[c] = level;
    }
  }
}

// The network.

/// A client whose reactions are given as functions.
struct Scripted final : netsim::FlowClient, netsim::TimerClient {
  std::function<void(std::uint32_t)> on_flow = [](std::uint32_t) {};
  std::function<void(std::uint32_t)> on_timer = [](std::uint32_t) {};
  void flow_ended(std::uint32_t payload, const netsim::FlowEnd&) override { on_flow(payload); }
  void timer_ended(std::uint32_t payload) override { on_timer(payload); }
};

/// A machine, its network, and a client that notes when each flow ended (-1: not).
struct Bench {
  explicit Bench(const std::string& spec)
      : machine(platforms::make_machine(spec)), network(netsim::engines().make("fluid", machine, clock)) {
    client.on_flow = [this](std::uint32_t flow) { note(flow); };
  }
  void note(std::uint32_t flow) {
    if (flow >= ends.size()) ends.resize(flow + 1, -1);
    REQUIRE(ends[flow] == -1);
    ends[flow] = now();
  }
  double now() const { return clock.now().seconds(); }
  void run() { clock.run(); }
  void timer(double delay, std::uint32_t payload) { clock.start_timer(netsim::Time(delay), client, payload); }
  netsim::FlowId flow(platforms::NodeId from, platforms::NodeId to, std::uint64_t bytes, std::uint32_t payload) {
    if (payload >= ends.size()) ends.resize(payload + 1, -1);
    return network->start_flow(from, to, bytes, client, payload, netsim::Order::shared);
  }
  platforms::Machine machine;
  netsim::Clock clock;
  std::unique_ptr<netsim::Network> network;
  Scripted client;
  std::vector<double> ends;
};

}  // namespace

TEST_CASE("rates after any changes are those of plain progressive filling") {
  core::Random random(21, "fluid/solver");
  for (int round = 0; round < 40; ++round) {
    const auto capacities = random_capacities(random);
    const auto most = 1 + random.below(60);
    MaxMin solver(capacities);
    std::vector<PlainClass> classes;
    for (int step = 0; step < 300; ++step) {
      for (auto changes = 1 + random.below(4); changes > 0; --changes)
        change_something(random, solver, classes, capacities.size(), most);
      solver.solve();
      const auto expected = plain_rates(capacities, classes);
      for (std::size_t c = 0; c < classes.size(); ++c)
        REQUIRE(solver.rate(classes[c].id) == Approx(expected[c]).epsilon(1e-11).margin(0));
      check_fair(capacities, classes, solver);
    }
  }
}

TEST_CASE("rates do not drift over hundreds of thousands of changes") {
  core::Random random(28, "fluid/solver");
  const auto capacities = random_capacities(random);
  MaxMin solver(capacities);
  std::vector<PlainClass> classes;
  for (int step = 1; step <= 300000; ++step) {
    change_something(random, solver, classes, capacities.size(), 12);
    solver.solve();
    if (step % 10000 != 0) continue;
    const auto expected = plain_rates(capacities, classes);
    for (std::size_t c = 0; c < classes.size(); ++c)
      REQUIRE(solver.rate(classes[c].id) == Approx(expected[c]).epsilon(1e-11).margin(0));
  }
}

TEST_CASE("a solve tells of every class whose rate has changed") {
  core::Random random(22, "fluid/changed");
  const auto capacities = random_capacities(random);
  MaxMin solver(capacities);
  std::vector<PlainClass> classes;
  for (int step = 0; step < 500; ++step) {
    std::vector<double> before;
    for (const auto& c : classes) before.push_back(solver.rate(c.id));
    const auto kept = classes.size();
    PlainClass added{random_route(random, capacities.size()), 1, 0};
    added.id = solver.add(added.route);
    solver.set_weight(added.id, 1);
    classes.push_back(added);
    const auto told = solver.solve();
    for (std::size_t c = 0; c < kept; ++c) {
      const bool changed = solver.rate(classes[c].id) != before[c];
      REQUIRE((!changed || std::find(told.begin(), told.end(), classes[c].id) != told.end()));
    }
  }
}

TEST_CASE("a link shared by thousands of classes is shared exactly", "[slow]") {
  MaxMin solver({1e9, 1e9});
  std::vector<MaxMin::ClassId> classes;
  core::Random random(23, "fluid/hotspot");
  const std::vector<MaxMin::Link> both{0, 1}, first{0};
  for (int i = 0; i < 4000; ++i) {
    classes.push_back(solver.add(random.below(2) == 0 ? both : first));
    solver.set_weight(classes.back(), 1);
    solver.solve();
  }
  while (classes.size() > 1) {
    solver.set_weight(classes.back(), 0);
    classes.pop_back();
    solver.solve();
    const double share = 1e9 / static_cast<double>(classes.size());
    REQUIRE(solver.rate(classes.front()) == Approx(share).epsilon(1e-11));
    REQUIRE(solver.rate(classes.back()) == Approx(share).epsilon(1e-11));
  }
}

TEST_CASE("thousands of equal flows between two nodes end together") {
  Bench b("mesh:4,bw=1GBps,lat=1us");
  for (std::uint32_t i = 0; i < 5000; ++i) b.flow(0, 3, 1000000, i);
  b.run();
  for (const double end : b.ends) CHECK(end == Approx(5 + 3e-6).epsilon(1e-12));
}

namespace {

platforms::NodeId neighbour(const platforms::Machine& machine, platforms::NodeId node, std::size_t d, bool forward) {
  return machine.first_node(machine.grid().neighbour(machine.router(node), d, forward));
}

}  // namespace

TEST_CASE("a million flows at once end when they should", "[slow]") {
  Bench b("torus:10x10,bw=1GBps,lat=0s");
  constexpr std::uint32_t each = 2500;
  std::uint32_t ended = 0;
  b.client.on_flow = [&](std::uint32_t) { ++ended; };
  for (const auto node : b.machine.nodes())
    for (std::size_t way = 0; way < 4; ++way)
      for (std::uint32_t i = 0; i < each; ++i)
        b.network->start_flow(node, neighbour(b.machine, node, way / 2, way % 2 == 0), 1000, b.client, 0);
  b.run();
  CHECK(ended == 1000000);
  CHECK(b.now() == Approx(1e-6 * each).epsilon(1e-12));
}

TEST_CASE("delays down to the smallest number pass") {
  Bench b("mesh:2,bw=1GBps,lat=0s");
  std::uint32_t fired = 0;
  b.client.on_timer = [&](std::uint32_t n) {
    ++fired;
    if (n > 0) b.timer(std::numeric_limits<double>::denorm_min(), n - 1);
    b.flow(0, 1, n % 2, fired);  // without bytes, and with one
  };
  b.timer(std::numeric_limits<double>::denorm_min(), 1000);
  b.run();
  CHECK(fired == 1001);
  CHECK(b.now() == Approx(500e-9).epsilon(1e-3));
}

TEST_CASE("flows on separate links that should end together do so at one time") {
  Bench b("torus:8x8,bw=3GBps,lat=100ns");
  std::uint32_t flow = 0;
  for (const auto node : b.machine.nodes())
    for (std::size_t d = 0; d < 2; ++d) b.flow(node, neighbour(b.machine, node, d, true), 1000001, flow++);
  b.run();
  for (const double end : b.ends) CHECK(end == b.ends.front());
}

TEST_CASE("a message without bytes takes its latency and disturbs nobody") {
  Bench b("mesh:4,bw=1kBps,lat=1ms");
  b.flow(0, 1, 1000, 0);
  for (std::uint32_t i = 1; i < 100; ++i) b.flow(0, 1, 0, i);
  b.run();
  CHECK(b.ends[0] == Approx(1.001).epsilon(1e-12));
  for (std::uint32_t i = 1; i < 100; ++i) CHECK(b.ends[i] == Approx(1e-3).epsilon(1e-12));
  Bench instant("mesh:4,bw=1kBps,lat=0s");
  instant.flow(0, 3, 0, 0);
  instant.run();
  CHECK(instant.ends[0] == 0);
}

TEST_CASE("a flow cancelled in its latency never loads a link") {
  Bench b("mesh:4,bw=1kBps,lat=1ms");
  const auto cancelled = b.flow(0, 1, 1000000, 0);
  b.flow(0, 1, 1000, 1);
  b.client.on_timer = [&](std::uint32_t) { b.network->cancel(cancelled); };
  b.timer(5e-4, 0);
  b.run();
  CHECK(b.ends[0] == -1);
  CHECK(b.ends[1] == Approx(1.001).epsilon(1e-12));
}

TEST_CASE("a flow cancelled in its transfer leaves its share to the others") {
  Bench b("mesh:4,bw=1kBps,lat=0s");
  const auto cancelled = b.flow(0, 1, 1000000, 0);
  b.flow(0, 1, 1000, 1);  // of its class
  b.flow(0, 2, 1500, 2);  // of another
  b.client.on_timer = [&](std::uint32_t) { b.network->cancel(cancelled); };
  b.timer(1.5, 0);
  b.run();
  CHECK(b.ends[0] == -1);
  CHECK(b.ends[1] == Approx(2.5).epsilon(1e-12));  // 500 bytes by 1.5 s, then half of the link
  CHECK(b.ends[2] == Approx(3.0).epsilon(1e-12));  // 500, 500, then the last 500 alone
}

TEST_CASE("a flow cancelled in the very moment of its end, before it is told, takes no other with it") {
  Bench b("mesh:4,bw=1kBps,lat=0s");
  const auto cancelled = b.flow(0, 1, 500, 0);
  b.flow(0, 1, 1500, 1);
  b.client.on_timer = [&](std::uint32_t) { b.network->cancel(cancelled); };
  b.timer(1, 0);  // set before the end was known: comes first
  b.run();
  CHECK(b.ends[0] == -1);
  CHECK(b.ends[1] == Approx(2.0).epsilon(1e-12));
}

TEST_CASE("a flow cancelled by one that ends with it is not told of") {
  Bench b("mesh:4,bw=1kBps,lat=0s");
  std::vector<netsim::FlowId> flows;
  std::vector<std::uint32_t> told;
  b.client.on_flow = [&](std::uint32_t flow) {
    told.push_back(flow);
    if (told.size() == 1) b.network->cancel(flows[1 - flow]);
  };
  for (std::uint32_t i = 0; i < 2; ++i) flows.push_back(b.flow(0, 1, 500, i));
  b.run();
  CHECK(told.size() == 1);
  b.flow(0, 1, 1000, 0);
  b.client.on_flow = [](std::uint32_t) {};
  b.run();
  CHECK(b.now() == Approx(2.0).epsilon(1e-12));
}

TEST_CASE("random cancellations leave what remains as if the others had stopped there") {
  core::Random random(24, "fluid/cancel");
  for (int round = 0; round < 100; ++round) {
    Bench b("torus:3x3,bw=1kBps,lat=0s");
    std::vector<netsim::FlowId> ids;
    std::vector<bool> gone(30, false);
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t i = 0; i < 30; ++i) {
      const auto from = platforms::NodeId(random.below(9));
      bytes.push_back(500 * (1 + random.below(4)));
      ids.push_back(b.flow(from, platforms::NodeId((from.index() + 1 + random.below(2)) % 9), bytes.back(), i));
    }
    b.client.on_timer = [&](std::uint32_t i) {
      if (b.ends[i] >= 0) return;
      gone[i] = true;
      b.network->cancel(ids[i]);
    };
    // Many flows end at multiples of half a second, so many of these timers meet an end.
    for (std::uint32_t i = 0; i < 10; ++i) b.timer(0.5 * static_cast<double>(random.below(10)), i);
    b.run();
    for (std::uint32_t i = 0; i < 30; ++i) {
      REQUIRE((b.ends[i] == -1) == gone[i]);
      if (!gone[i]) REQUIRE(b.ends[i] >= static_cast<double>(bytes[i]) / 1000 * (1 - 1e-9));
    }
  }
}

TEST_CASE("timers of no delay fire now, in their order, before time passes") {
  Bench b("mesh:2,bw=1kBps,lat=1ns");
  std::vector<std::uint32_t> fired;
  b.client.on_timer = [&](std::uint32_t n) {
    fired.push_back(n);
    CHECK(b.now() == 0);
    if (n < 100) b.timer(0, n + 2);
  };
  b.flow(0, 1, 1, 0);
  b.timer(0, 0);
  b.timer(0, 1);
  b.run();
  REQUIRE(fired.size() == 102);
  CHECK(std::is_sorted(fired.begin(), fired.end()));
  CHECK(b.ends[0] == Approx(1e-3 + 1e-9).epsilon(1e-12));
}

TEST_CASE("what a client throws comes out of the run") {
  Bench b("mesh:2");
  b.flow(0, 1, 1000, 0);
  SECTION("at the end of a flow") {
    b.client.on_flow = [](std::uint32_t) { throw std::runtime_error("flow"); };
    CHECK_THROWS_WITH(b.run(), "flow");
  }
  SECTION("at the end of a timer") {
    b.client.on_timer = [](std::uint32_t) { throw std::runtime_error("timer"); };
    b.timer(1, 0);
    CHECK_THROWS_WITH(b.run(), "timer");
  }
}

TEST_CASE("what would take longer than any number says so") {
  Bench b("mesh:2,bw=1e-306Bps,lat=1e308s");
  SECTION("in its transfer") {
    b.flow(0, 1, 1000, 0);
  }
  SECTION("in its latency") {
    b.client.on_flow = [&](std::uint32_t) { b.flow(0, 1, 0, 0); };
    b.flow(0, 1, 0, 0);
  }
  CHECK_THROWS_AS(b.run(), core::SimulationError);
}

TEST_CASE("a message of microseconds takes its time after eleven days too") {
  Bench b("mesh:3,bw=1GBps,lat=1ns");
  b.client.on_timer = [&](std::uint32_t) { b.flow(1, 2, 1000, 1); };
  b.flow(0, 1, 1, 0);
  b.flow(0, 2, 2000000000000000, 2);
  b.timer(1e6, 0);
  b.run();
  CHECK(b.ends[0] == Approx(2e-9).epsilon(1e-9));
  CHECK(b.ends[1] - 1e6 == Approx(2.001e-6).margin(1e-9));  // the clock itself knows a tenth of a nanosecond
  CHECK(b.ends[2] - 2e6 == Approx(1.002e-6).margin(1e-9));
}

TEST_CASE("a class that is never idle for eleven days does not drift") {
  Bench b("mesh:2,bw=1MBps,lat=0s");
  core::Random random(25, "fluid/drift");
  std::uint64_t sum = 1000000000000;
  double began = 0, worst = 0;
  std::uint64_t bytes = 0;
  std::uint32_t left = 20000;
  b.client.on_timer = [&](std::uint32_t) {
    bytes = 1000 + random.below(100000);
    sum += bytes;
    began = b.now();
    b.network->start_flow(0, 1, bytes, b.client, 1);
  };
  b.client.on_flow = [&](std::uint32_t flow) {
    if (flow == 0) return;
    worst = std::max(worst, std::abs((b.now() - began) / (2e-6 * static_cast<double>(bytes)) - 1));
    if (--left > 0) b.timer(50 * random.unit(), 0);
  };
  b.flow(0, 1, 1000000000000, 0);
  b.timer(1, 0);
  b.run();
  CHECK(left == 0);
  CHECK(worst < 1e-6);
  CHECK(b.now() == Approx(1e-6 * static_cast<double>(sum)).epsilon(1e-12));
}

TEST_CASE("random machines and random joins end as the reference says") {
  core::Random random(26, "fluid/reference");
  for (int i = 0; i < test::tenth_if_sanitized(200); ++i) {
    const auto m = random_machine(random);
    CAPTURE(platforms::xml_text(m.description()));
    const auto flows = random_flows(random, m, 1 + random.below(40), i % 2 == 0 ? 2e-3 : 1e-5);
    check_equal(engine_end_times(m, flows, "fluid"), reference_end_times(m, flows));
  }
}

TEST_CASE("random flows that start at once end as in simgrid") {
  core::Random random(27, "fluid/simgrid");
  for (int i = 0; i < test::tenth_if_sanitized(400); ++i) {
    const auto m = random_machine(random);
    CAPTURE(platforms::xml_text(m.description()));
    const auto flows = random_flows(random, m, 1 + random.below(80), 0);
    check_equal(engine_end_times(m, flows, "fluid"), engine_end_times(m, flows, "simgrid"));
  }
}
