#include "platforms/survey.hpp"

#include <catch2/catch.hpp>

#include "tests/support/machines.hpp"
#include "tests/support/support.hpp"

namespace toroid::platforms {
namespace {

/// Diameter and mean distance by asking for every pair.
std::pair<std::int32_t, double> by_pairs(const Machine& machine) {
  std::int32_t most = 0;
  double sum = 0, pairs = 0;
  for (const NodeId from : machine.compute_nodes())
    for (const NodeId to : machine.compute_nodes()) {
      if (from == to) continue;
      most = std::max(most, machine.hops(from, to));
      sum += machine.hops(from, to);
      ++pairs;
    }
  return {most, pairs == 0 ? 0 : sum / pairs};
}

TEST_CASE("Distances of a survey are those of all pairs") {
  for (const char* text :
       {"mesh:5x4", "torus:5x4x3", "ring:4x3", "torus:6x4,nodes=2,service-nodes=0-3,absent-nodes=10",
        "torus:4x4x8,x.twist=z+4,y.twist=z+4", "mesh:4x4,fail-link=(5-6 9>10)", "torus:4x4,fail-router=5", "mesh:1x1",
        "ring:4x4,x.shared=yes,numbering=y x,x.cabling=folded"}) {
    CAPTURE(text);
    const auto machine = make_machine(text);
    const auto s = survey(machine);
    const auto [diameter, mean] = by_pairs(machine);
    CHECK(s.diameter == diameter);
    CHECK(s.mean_hops == Approx(mean));
    CHECK_FALSE(s.is_sampled);
  }
}

TEST_CASE("Distances along lines are summed up as exactly as by pairs, whatever stands where", "[slow]") {
  core::Random random(121, "survey");
  for (int i = 0; i < 300; ++i) {
    auto description = test::random_description(random, 60);
    for (auto& dimension : description.dimensions) dimension.twist = {};
    const Machine machine(description);
    if (static_cast<std::int32_t>(machine.compute_nodes().size()) < machine.node_count())
      continue;  // measured by pairs
    const auto s = survey(machine);
    const auto [diameter, mean] = by_pairs(machine);
    CAPTURE(i);
    REQUIRE(s.diameter == diameter);
    REQUIRE(s.mean_hops == Approx(mean).epsilon(1e-12));
  }
  // Too many nodes for all pairs: one line with gaps, so that both count the same ones.
  for (const char* text : {"mesh:5001", "torus:5001", "torus:5002", "ring:5001"}) {
    CAPTURE(text);
    const auto machine = make_machine(fmt::format("{},service-nodes=(0-10 17 2000-2600 4998)", text));
    const auto s = survey(machine);
    const auto [diameter, mean] = by_pairs(machine);
    CHECK(s.diameter == diameter);
    CHECK(s.mean_hops == Approx(mean).epsilon(1e-12));
  }
}

TEST_CASE("A line of a million routers is surveyed at once") {
  const double k = 1000000;
  CHECK(survey(make_machine("mesh:1000000")).mean_hops == Approx((k + 1) / 3));
  CHECK(survey(make_machine("torus:1000000")).diameter == 500000);
  CHECK(survey(make_machine("ring:1000000")).mean_hops == Approx(k / 2));
}

TEST_CASE("Mean distances of plain machines follow the textbook") {
  // k nodes: a line has (k + 1) / 3 hops on average, an even ring k/4 * k/(k - 1), a one-way ring k/2.
  CHECK(survey(make_machine("mesh:10")).mean_hops == Approx(11.0 / 3));
  CHECK(survey(make_machine("torus:10")).mean_hops == Approx(2.5 * 10 / 9));
  CHECK(survey(make_machine("ring:10")).mean_hops == Approx(5.0));
}

TEST_CASE("The bisection of tori and meshes") {
  CHECK(survey(make_machine("mesh:8x8")).bisection()->links == 8);
  CHECK(survey(make_machine("torus:8x8")).bisection()->links == 16);
  CHECK(survey(make_machine("torus:4x4x8")).bisection()->links == 32);
  CHECK(survey(make_machine("ring:12x8,x.shared=yes")).bisection()->links == 8);
  CHECK(survey(make_machine("torus:4x4,links=3,bandwidth=2GBps")).bisection()->bandwidth == 8 * 3 * 2e9);
  CHECK(survey(make_machine("mesh:1")).bisection() == nullptr);
}

TEST_CASE("A twist makes the bisection of a long torus wider") {
  const auto straight = survey(make_machine("torus:4x4x8"));
  const auto twisted = survey(make_machine("torus:4x4x8,x.twist=z+4,y.twist=z+4"));
  CHECK(twisted.bisection()->links > straight.bisection()->links);
  CHECK(twisted.mean_hops < straight.mean_hops);
  CHECK(twisted.diameter <= straight.diameter);
}

TEST_CASE("Links are counted one by one, failed ones not") {
  const auto s = survey(make_machine("torus:4x4,x.links=2,fail-link=0-1"));
  CHECK(s.links[0].count == 2 * (32 - 2));
  CHECK(s.links[1].count == 32);
  const auto e = survey(make_machine("mesh:4x4,y.exceptions=1 bandwidth=250MBps"));
  CHECK(e.links[1].bandwidth_min == 250e6);
  CHECK(e.links[1].bandwidth_max == 1e9);
}

TEST_CASE("Nodes are counted by what they do") {
  const auto machine = make_machine("mesh:4x4,service-nodes=0-1,absent-nodes=5,failed-nodes=8 9,failed-routers=15");
  const auto s = survey(machine);
  CHECK(s.compute_nodes == 16 - 2 - 1 - 3);
  CHECK(s.service_nodes == 2);
  CHECK(s.absent_nodes == 1);
  CHECK(s.failed_nodes == 3);
  CHECK(symbol(machine, 0) == 's');
  CHECK(symbol(machine, 2) == 'o');
  CHECK(symbol(machine, 5) == '.');
  CHECK(symbol(machine, 8) == 'x');
  CHECK(symbol(machine, 15) == 'x');
}

}  // namespace
}  // namespace toroid::platforms
