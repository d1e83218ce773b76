// What engines say of how far they are from flits. bench/engine_deviation measures it.

#include <algorithm>
#include <catch2/catch.hpp>

#include "netsim/network.hpp"
#include "tests/support/support.hpp"

using namespace toroid;

TEST_CASE("every engine says how far it is from flits") {
  for (const auto& entry : netsim::engines().entries()) {
    CAPTURE(entry.name);
    const auto& [programs, placements] = netsim::EngineChoice(std::string(entry.name)).thing().deviation;
    for (const auto ratios : {programs, placements}) {
      REQUIRE(ratios.size() == 10);
      CHECK(std::is_sorted(ratios.begin(), ratios.end()));
      CHECK(ratios.front() > 0.4);
      CHECK(ratios.front() < 1);
      CHECK(ratios.back() > 1);
      CHECK(ratios.back() < 2);
    }
  }
}

TEST_CASE("time in the network deviates by as much as messages share") {
  CHECK(netsim::deviating_seconds(10, 0) == 0);
  CHECK(netsim::deviating_seconds(10, 1) == Approx(5));
  CHECK(netsim::deviating_seconds(10, 2) == Approx(10));
  CHECK(netsim::deviating_seconds(10, 9) == 10);
}
