#include "netsim/link_usage.hpp"

#include <catch2/catch.hpp>

using namespace toroid;
using netsim::LinkUsage;

TEST_CASE("busy time is the union of the transfers, peak the most at one time") {
  const auto machine = platforms::make_machine("mesh:3,bw=1GBps");
  const auto first = machine.grid().link(0, 0, true);
  const auto second = machine.grid().link(1, 0, true);
  LinkUsage usage(machine);
  usage.begin(0, 2, 1.0);
  usage.begin(0, 1, 2.0);
  usage.end(0, 1, 500, 2.0, 3.0);
  usage.end(0, 2, 1000, 1.0, 4.0);
  usage.begin(1, 2, 6.0);
  usage.end(1, 2, 100, 6.0, 7.0);
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
  usage.begin(0, 1, 0.0);
  usage.end(0, 1, 1000000000, 0.0, 1.0);  // full for a second
  usage.begin(0, 1, 9.0);
  usage.end(0, 1, 100000000, 9.0, 10.0);  // a tenth
  CHECK(usage.load(link, 10).peak_utilization == Approx(1.0));
  LinkUsage half(machine);
  half.begin(0, 1, 0.0);
  half.end(0, 1, 5000000000, 0.0, 10.0);
  CHECK(half.load(link, 10).peak_utilization == Approx(0.5).epsilon(1e-3));
}
