// Machines drawn from intervals.

#include "study/draws.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::study {
namespace {

Sample values_of(const Draws& draws, std::size_t interval) {
  Sample all;
  for (const auto& values : draws.values) all.push_back(values[interval]);
  return all;
}

TEST_CASE("Nine of ten values lie between the quantiles of 5 and 95 per cent") {
  Sample values;
  for (int i = 101; i > 0; --i) values.push_back(i);
  const auto spread = spread_of(values);
  CHECK(spread.median == 51);
  CHECK(spread.interval.low == Approx(6));
  CHECK(spread.interval.high == Approx(96));
  CHECK(spread_of(Sample{3}).interval.high == 3);
}

TEST_CASE("Values that are drawn fill their interval evenly, each by itself") {
  const auto draws = draw_machines("mesh:4,bandwidth=1..2GBps,latency=100..300ns,router.vcs=2..4", 4000, 1);
  const auto bandwidths = spread_of(values_of(draws, 0));
  // The standard deviation of a quantile p of n uniform values is sqrt(p (1 - p) / n): .008 for the median.
  CHECK(bandwidths.median == Approx(1.5e9).margin(0.03e9));
  CHECK(bandwidths.interval.low == Approx(1.05e9).margin(0.015e9));
  CHECK(bandwidths.interval.high == Approx(1.95e9).margin(0.015e9));
  CHECK(std::abs(*spearman(values_of(draws, 0), values_of(draws, 1))) < 0.05);
  const auto channels = values_of(draws, 2);
  for (const double one : {2, 3, 4})
    CHECK(std::count(channels.begin(), channels.end(), one) == Approx(1333).margin(120));
  for (std::size_t d = 0; d < 10; ++d) {
    CHECK(draws.machines[d].dimensions[0].bandwidth == draws.values[d][0]);
    CHECK(draws.machines[d].dimensions[0].latency == Approx(draws.values[d][1]).epsilon(1e-12));
    CHECK(draws.machines[d].router.channels == draws.values[d][2]);
  }
}

TEST_CASE("A value's place depends on the seed, the property and the number of the draw alone") {
  const auto few = draw_machines("mesh:4,bandwidth=1..2GBps", 5, 7);
  const auto many = draw_machines("torus:8x8,latency=1..2us,bandwidth=3..5GBps", 9, 7);
  for (std::size_t d = 0; d < 5; ++d)
    CHECK((many.values[d][1] - 3e9) / 2e9 == Approx((few.values[d][0] - 1e9) / 1e9).epsilon(1e-9));
  CHECK(draw_machines("mesh:4,bandwidth=1..2GBps", 5, 8).values != few.values);
}

TEST_CASE("Ends of which no machine can be made are refused before anything runs") {
  CHECK_THAT(test::error_of([] { draw_machines("mesh:4,router.vcs=2..1000", 3, 1); }), Catch::Contains("router.vcs"));
  CHECK(draw_machines("mesh:4", 3, 1).intervals.empty());
}

TEST_CASE("The interval that the times follow comes first") {
  const auto draws = draw_machines("mesh:4,latency=1..2us,bandwidth=1..2GBps", 200, 1);
  DrawnTimes times;
  for (const auto& values : draws.values) times.push_back(DrawnTime{1 / values[1]});
  const auto found = influences(draws, times);
  CHECK(found[0].interval == 1);
  CHECK(found[0].correlation == Approx(-1));
  CHECK(std::abs(*found[1].correlation) < 2 * correlation_by_chance(200));
  // Draws that failed are left out, and what does not vary has none.
  times[3] = std::nullopt;
  CHECK(influences(draws, times)[0].correlation == Approx(-1));
  CHECK_FALSE(influences(draws, DrawnTimes(200, DrawnTime{1}))[0].correlation);
}

TEST_CASE("Of correlations by chance one in twenty is beyond the limit that is told") {
  int beyond = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto draws = draw_machines("mesh:4,latency=1..2us,bandwidth=1..2GBps", 20, seed);
    ++all;
    beyond += std::abs(*spearman(values_of(draws, 0), values_of(draws, 1))) > correlation_by_chance(20) ? 1 : 0;
  }
  CHECK(beyond == Approx(0.05 * all).margin(15));  // 20 +- 3.4 standard deviations of 4.4
}

}  // namespace
}  // namespace toroid::study
