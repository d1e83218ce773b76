#include "netsim/link_usage.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"

using namespace toroid;
using netsim::LinkUsage;
using netsim::Time;

namespace {

/// The links from node to node.
class Route {
 public:
  Route(const platforms::Machine& machine, platforms::NodeId from, platforms::NodeId to) {
    machine.for_each_link(from, to, [&](platforms::LinkId link) { links_.push_back(link); });
  }
  operator LinkUsage::Route() const { return links_; }

 private:
  std::vector<platforms::LinkId> links_;
};

}  // namespace

TEST_CASE("busy time is the union of the transfers, peak the most at one time") {
  const auto machine = platforms::make_machine("mesh:3,bw=1GBps");
  const auto first = machine.grid().link(0, 0, true);
  const auto second = machine.grid().link(1, 0, true);
  LinkUsage usage(machine);
  usage.begin(Route(machine, 0, 2), Time(1.0));
  usage.begin(Route(machine, 0, 1), Time(2.0));
  usage.end(Route(machine, 0, 1), 500, Time(2.0), Time(3.0));
  usage.end(Route(machine, 0, 2), 1000, Time(1.0), Time(4.0));
  usage.begin(Route(machine, 1, 2), Time(6.0));
  usage.end(Route(machine, 1, 2), 100, Time(6.0), Time(7.0));
  CHECK(usage.load(first, Time(10)).bytes == 1500);
  CHECK(usage.load(first, Time(10)).busy == Approx(3));
  CHECK(usage.load(first, Time(10)).peak_flows == 2);
  CHECK(usage.load(second, Time(10)).bytes == 1100);
  CHECK(usage.load(second, Time(10)).busy == Approx(4));
  CHECK(usage.load(second, Time(10)).peak_flows == 1);
  CHECK(usage.load(machine.grid().link(2, 0, false), Time(10)).flows == 0);
}

TEST_CASE("an engine that counts by itself is told the same as if it had begun and ended transfers") {
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  LinkUsage booked(machine), counted(machine);
  for (auto* usage : {&booked, &counted}) usage->measure_windows(8);
  booked.begin(Route(machine, 0, 1), Time(1.0));
  booked.end(Route(machine, 0, 1), 500000000, Time(1.0), Time(3.0));
  booked.begin(Route(machine, 0, 1), Time(4.0));  // and goes on
  counted.book_windows(link, 500000000, Time(1.0), Time(3.0));
  counted.set(link,
              {.bytes = 500000000, .flows = 1, .active = 1, .peak = 1, .busy = Time(2.0), .busy_since = Time(4.0)});
  const auto a = booked.load(link, Time(5)), b = counted.load(link, Time(5));
  CHECK(b.busy == 3);
  CHECK(a.busy == b.busy);
  CHECK(a.bytes == b.bytes);
  CHECK(a.flows == b.flows);
  CHECK(a.peak_flows == b.peak_flows);
  CHECK(a.peak_utilization == b.peak_utilization);
  CHECK(booked.bytes_by_window(link, Time(5)) == counted.bytes_by_window(link, Time(5)));
}

TEST_CASE("the peak utilisation is that of the busiest window") {
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  LinkUsage usage(machine);
  usage.measure_windows(64);
  usage.begin(Route(machine, 0, 1), Time(0.0));
  usage.end(Route(machine, 0, 1), 1000000000, Time(0.0), Time(1.0));  // full for a second
  usage.begin(Route(machine, 0, 1), Time(9.0));
  usage.end(Route(machine, 0, 1), 100000000, Time(9.0), Time(10.0));  // a tenth
  CHECK(usage.load(link, Time(10)).peak_utilization == Approx(1.0));
  LinkUsage half(machine);
  half.measure_windows(64);
  half.begin(Route(machine, 0, 1), Time(0.0));
  half.end(Route(machine, 0, 1), 5000000000, Time(0.0), Time(10.0));
  CHECK(half.load(link, Time(10)).peak_utilization == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("windows are joined in pairs, whatever links each of them knows") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps");
  LinkUsage usage(machine);
  usage.measure_windows(64);
  // One link after the other is full for a while, each twice as long as the one before.
  const double ends[] = {1e-6, 50e-6, 3e-3, 4.0};
  double began = 0;
  for (int i = 0; i < 3; ++i) {
    const platforms::NodeId node(i);
    const auto here = machine.router(node);
    usage.begin(Route(machine, node, node + 1), Time(began));
    usage.end(Route(machine, node, node + 1), static_cast<std::uint64_t>(1e9 * (ends[i] - began)), Time(began),
              Time(ends[i]));
    CHECK(usage.load(machine.grid().link(here, 0, true), Time(ends[i])).peak_utilization == Approx(1).epsilon(1e-9));
    began = ends[i];
  }
  usage.begin(Route(machine, 0, 1), Time(began));
  usage.end(Route(machine, 0, 1), 2000000000, Time(began), Time(ends[3]));  // half of what could go through
  for (int i = 0; i < 3; ++i) {
    // What the others carried is all in the first window by now.
    const double window = usage.window_seconds();
    const double expected = i == 0 ? 2 / (ends[3] - began) : (ends[i] - ends[i - 1]) / window;
    CHECK(usage.load(machine.grid().link(platforms::RouterId(i), 0, true), Time(ends[3])).peak_utilization ==
          Approx(expected).epsilon(1e-9));
  }
}

namespace {

double mean(const LinkUsage& usage, const platforms::Machine& machine, platforms::LinkId link, double end) {
  return static_cast<double>(usage.load(link, Time(end)).bytes) / (machine.link_bandwidth(link) * end);
}

}  // namespace

TEST_CASE("a last window shorter than half counts as part of the one before") {
  // 4 windows of 1 s, of which the last reaches 0.25 s: the link is idle but for that quarter of a second, when it is
  // full, and that is in a window of 1.25 s.
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  LinkUsage usage(machine);
  usage.measure_windows(4);
  const double window = 1e-6 * (1 << 20), end = 3.25 * window, began = 3 * window;
  usage.begin(Route(machine, 0, 1), Time(began));
  usage.end(Route(machine, 0, 1), static_cast<std::uint64_t>(1e9 * (end - began)), Time(began), Time(end));
  REQUIRE(usage.window_seconds() == Approx(window).epsilon(1e-12));
  CHECK(mean(usage, machine, link, end) == Approx(0.25 / 3.25).epsilon(1e-6));
  CHECK(usage.load(link, Time(end)).peak_utilization == Approx(0.25 / 1.25).epsilon(1e-6));
  // One that reaches further than half counts by itself.
  usage.begin(Route(machine, 0, 1), Time(end));
  usage.end(Route(machine, 0, 1), 0, Time(end), Time(3.75 * window));
  CHECK(usage.load(link, Time(3.75 * window)).peak_utilization == Approx(0.25 / 0.75).epsilon(1e-6));
}

TEST_CASE("no peak is below the mean, whatever the windows and wherever the run ends") {
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  core::Random random(51, "link_usage/peak");
  for (int round = 0; round < 500; ++round) {
    LinkUsage usage(machine);
    usage.measure_windows(1 + random.below(70));
    double now = 0;
    for (auto transfers = 1 + random.below(20); transfers > 0; --transfers) {
      const double began = now + (random.below(2) == 0 ? 0 : 1e-5 * random.unit());
      now = began + std::pow(10, -7 + 4 * random.unit());
      const double share = random.below(2) == 0 ? 1 : random.unit();
      usage.begin(Route(machine, 0, 1), Time(began));
      usage.end(Route(machine, 0, 1), static_cast<std::uint64_t>(1e9 * share * (now - began)), Time(began), Time(now));
    }
    const double end = now * (1 + (random.below(3) == 0 ? 0 : random.unit()));
    REQUIRE(usage.load(link, Time(end)).peak_utilization >= mean(usage, machine, link, end));
    REQUIRE(usage.load(link, Time(end)).peak_utilization <= 1 + 1e-12);
  }
}

TEST_CASE("without windows all but the peak utilisation is booked") {
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  LinkUsage usage(machine);
  usage.begin(Route(machine, 0, 1), Time(1.0));
  usage.end(Route(machine, 0, 1), 1000, Time(1.0), Time(2.0));
  const auto load = usage.load(link, Time(4.0));
  CHECK(load.bytes == 1000);
  CHECK(load.busy == 1.0);
  CHECK(load.peak_utilization == 0);
}

TEST_CASE("where nobody asks, nothing is booked") {
  const auto machine = platforms::make_machine("mesh:3,bw=1MBps,lat=0s");
  LinkUsage usage(machine);
  usage.ignore();
  const Route route(machine, 0, 2);
  usage.begin(route, Time(0));
  usage.end(route, 1000, Time(0), Time(1));
  for (const auto link : machine.links()) {
    CHECK(usage.load(link, Time(1)).bytes == 0);
    CHECK(usage.load(link, Time(1)).flows == 0);
  }
}
