#include "netsim/link_usage.hpp"

#include <catch2/catch.hpp>

using namespace toroid;
using netsim::LinkUsage;

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
  usage.begin(Route(machine, 0, 2), 1.0);
  usage.begin(Route(machine, 0, 1), 2.0);
  usage.end(Route(machine, 0, 1), 500, 2.0, 3.0);
  usage.end(Route(machine, 0, 2), 1000, 1.0, 4.0);
  usage.begin(Route(machine, 1, 2), 6.0);
  usage.end(Route(machine, 1, 2), 100, 6.0, 7.0);
  CHECK(usage.load(first, 10).bytes == 1500);
  CHECK(usage.load(first, 10).busy == Approx(3));
  CHECK(usage.load(first, 10).peak_flows == 2);
  CHECK(usage.load(second, 10).bytes == 1100);
  CHECK(usage.load(second, 10).busy == Approx(4));
  CHECK(usage.load(second, 10).peak_flows == 1);
  CHECK(usage.load(machine.grid().link(2, 0, false), 10).flows == 0);
}

TEST_CASE("the peak utilisation is that of the busiest window") {
  const auto machine = platforms::make_machine("mesh:2,bw=1GBps");
  const auto link = machine.grid().link(0, 0, true);
  LinkUsage usage(machine);
  usage.begin(Route(machine, 0, 1), 0.0);
  usage.end(Route(machine, 0, 1), 1000000000, 0.0, 1.0);  // full for a second
  usage.begin(Route(machine, 0, 1), 9.0);
  usage.end(Route(machine, 0, 1), 100000000, 9.0, 10.0);  // a tenth
  CHECK(usage.load(link, 10).peak_utilization == Approx(1.0));
  LinkUsage half(machine);
  half.begin(Route(machine, 0, 1), 0.0);
  half.end(Route(machine, 0, 1), 5000000000, 0.0, 10.0);
  CHECK(half.load(link, 10).peak_utilization == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("windows are joined in pairs, whatever links each of them knows") {
  const auto machine = platforms::make_machine("mesh:4,bw=1GBps");
  LinkUsage usage(machine);
  // One link after the other is full for a while, each twice as long as the one before.
  const double ends[] = {1e-6, 50e-6, 3e-3, 4.0};
  double began = 0;
  for (int i = 0; i < 3; ++i) {
    usage.begin(Route(machine, i, i + 1), began);
    usage.end(Route(machine, i, i + 1), static_cast<std::uint64_t>(1e9 * (ends[i] - began)), began, ends[i]);
    CHECK(usage.load(machine.grid().link(i, 0, true), ends[i]).peak_utilization == Approx(1).epsilon(1e-9));
    began = ends[i];
  }
  usage.begin(Route(machine, 0, 1), began);
  usage.end(Route(machine, 0, 1), 2000000000, began, ends[3]);  // half of what could go through
  for (int i = 0; i < 3; ++i) {
    // What the others carried is all in the first window by now.
    const double window = usage.window_seconds();
    const double expected = i == 0 ? 2 / (ends[3] - began) : (ends[i] - ends[i - 1]) / window;
    CHECK(usage.load(machine.grid().link(i, 0, true), ends[3]).peak_utilization == Approx(expected).epsilon(1e-9));
  }
}
