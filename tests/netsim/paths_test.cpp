#include "netsim/flow.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"

using namespace toroid;

TEST_CASE("paths are the machine's, whatever was asked before") {
  // Far more pairs than the table holds.
  for (const char* spec : {"mesh:300x10,x.bw=2GBps", "mesh:90x50,x.bw=1GBps,y.bw=3GBps,injection=2GBps,y.lat=3us"}) {
    const auto machine = platforms::make_machine(spec);
    netsim::Paths paths(machine);
    core::Random random(5, "paths");
    for (int i = 0; i < 200000; ++i) {
      const auto nodes = static_cast<std::uint64_t>(machine.node_count());
      const auto from = platforms::NodeId(random.below(nodes));
      const auto to = platforms::NodeId(random.below(nodes));
      const auto path = paths.between(from, to);
      REQUIRE(path.hops == machine.hops(from, to));
      REQUIRE(path.latency == machine.latency(from, to));
      REQUIRE(path.bandwidth == machine.route_bandwidth(from, to));
    }
  }
}
