// Intervals with the engine's deviation, beside sums by hand and beside chance.

#include "study/draws.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "core/random.hpp"

namespace toroid::study {
namespace {

TEST_CASE("Where nothing deviates, or nobody knows by how much, the interval is that of the machines") {
  constexpr std::array ratios{0.5, 1.0, 1.5};
  std::vector<DrawnTime> deviating, alone;
  for (int i = 1; i <= 100; ++i) {
    deviating.push_back({static_cast<double>(i), static_cast<double>(i)});
    alone.push_back({static_cast<double>(i)});
  }
  std::vector<DrawnPair> pairs;
  for (const auto& time : alone) pairs.push_back({DrawnTime{1}, time});
  for (const auto& [low, high] : {predicted_time(deviating, {}), predicted_time(alone, {ratios, ratios}),
                                  predicted_ratio(pairs, {ratios, ratios}).interval}) {
    CHECK(low == Approx(5.95));  // as spread_of() has it
    CHECK(high == Approx(95.05));
  }
}

TEST_CASE("A deviation multiplies the seconds that deviate, and no others") {
  constexpr std::array ratios{0.5, 0.75, 1.0, 1.25, 1.5};
  constexpr std::array exact{1.0};
  // 10 s, of which 4 s deviate: 8, 9, 10, 11 or 12 s, each for a fifth of all cases.
  for (const auto& deviation : {netsim::Deviation{ratios, exact}, netsim::Deviation{exact, ratios}}) {
    const auto [low, high] = predicted_time(std::array{DrawnTime{10, 4}}, deviation);
    CHECK(low == Approx(8));
    CHECK(high == Approx(12));
    const auto fixed = predicted_time(std::array{DrawnTime{10, 0}}, deviation);
    CHECK(fixed.low == 10);
    CHECK(fixed.high == 10);
  }
}

TEST_CASE("What two placements have in common leaves their ratio as it is") {
  constexpr std::array ratios{0.8, 1.0, 1.25};
  constexpr std::array exact{1.0};
  const std::array pair{DrawnPair{{10, 10}, {11, 11}}};
  const auto common = predicted_ratio(pair, {ratios, exact});
  CHECK(common.interval.low == Approx(1.1));
  CHECK(common.interval.high == Approx(1.1));
  CHECK(common.above_one == Approx(1));
  // Apart: 1.1 times 1 / 1.25 / 1.25, three times 1 / 1.25 or less, three times 1, and so on.
  const auto apart = predicted_ratio(pair, {exact, ratios});
  CHECK(apart.interval.low == Approx(1.1 * 0.8 / 1.25));
  CHECK(apart.interval.high == Approx(1.1 * 1.25 / 0.8));
  CHECK(apart.above_one == Approx(6. / 9));
  // Two programs have nothing in common.
  const auto programs = predicted_ratio(pair, {ratios, exact}, false);
  CHECK(programs.interval.low == apart.interval.low);
  CHECK(programs.interval.high == apart.interval.high);
  CHECK(programs.above_one == apart.above_one);
  // Equal ones are not faster by rounding.
  CHECK(predicted_ratio(std::array{DrawnPair{{10, 0}, {10, 0}}}, {exact, ratios}).above_one == 0);
}

TEST_CASE("Intervals hold nine of ten random times and ratios that deviate as told") {
  core::Random random(1, "prediction");
  std::vector<double> programs, placements;
  for (int i = 0; i < 10; ++i) {
    programs.push_back(0.8 + 0.04 * i);
    placements.push_back(0.9 + 0.02 * i);
  }
  const netsim::Deviation deviation{programs, placements};
  std::vector<DrawnTime> times;
  std::vector<DrawnPair> pairs;
  for (int d = 0; d < 40; ++d) {
    const DrawnTime one{10 + random.unit(), 8}, other{11 + 2 * random.unit(), 10};
    times.push_back(one);
    pairs.emplace_back(one, other);
  }
  const auto of_time = predicted_time(times, deviation);
  const auto of_ratio = predicted_ratio(pairs, deviation);
  const auto deviates = [&](const DrawnTime& time, double program) {
    return time.seconds + time.deviating * (program * placements[random.below(placements.size())] - 1);
  };
  int time_in = 0, ratio_in = 0, faster = 0;
  constexpr int trials = 20'000;
  for (int i = 0; i < trials; ++i) {
    const auto& [one, other] = pairs[random.below(pairs.size())];
    const double program = programs[random.below(programs.size())];
    const double time = deviates(one, program), over = deviates(other, program) / time;
    time_in += of_time.low <= time && time <= of_time.high ? 1 : 0;
    ratio_in += of_ratio.interval.low <= over && over <= of_ratio.interval.high ? 1 : 0;
    faster += over > 1 ? 1 : 0;
  }
  CHECK(time_in == Approx(0.9 * trials).epsilon(0.01));
  CHECK(ratio_in == Approx(0.9 * trials).epsilon(0.01));
  CHECK(of_ratio.above_one == Approx(static_cast<double>(faster) / trials).epsilon(0.02));
}

}  // namespace
}  // namespace toroid::study
