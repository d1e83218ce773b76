// Samples of series of iteration times whose sums are known.

#include "netsim/repeats/sampling_plan.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "tests/support/sanitized.hpp"

using namespace toroid;
using netsim::SamplingPlan;

namespace {

using Times = std::vector<double>;

double normal(core::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

Times independent(core::Random& random, std::size_t count, double deviation) {
  Times times(count);
  for (auto& time : times) time = 1 + deviation * normal(random);
  return times;
}

Times correlated(core::Random& random, std::size_t count, double deviation, double correlation) {
  Times times(count);
  double last = normal(random);
  for (auto& time : times) {
    time = 1 + deviation * last;
    last = correlation * last + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return times;
}

/// Grows by half from the first to the last, besides what is independent.
Times drifting(core::Random& random, std::size_t count, double deviation) {
  auto times = independent(random, count, deviation);
  for (std::size_t i = 0; i < count; ++i) times[i] += 0.5 * static_cast<double>(i) / static_cast<double>(count);
  return times;
}

struct Sampled {
  double sum = 0;  ///< of all that was simulated, and the estimate of the others
  double half_width = 0;
  std::uint64_t left_out = 0;
  bool is_inside(const Times& times) const {
    return std::abs(sum - std::accumulate(times.begin(), times.end(), 0.0)) <= half_width + 1e-9;
  }
};

/// Ranks are told of iterations `late` iterations after they are asked for the next.
Sampled sample(const Times& times, double width, std::size_t late = 0, bool are_alike = false) {
  SamplingPlan plan(times.size(), width);
  if (are_alike) plan.all_are_alike();
  std::vector<std::uint64_t> simulated;
  Sampled sampled;
  std::size_t told = 0;
  const auto tell = [&](std::size_t until) {
    for (; told < until; ++told) {
      const double time = times[simulated[told]];
      plan.completed(simulated[told], {.compute = time / 4, .bandwidth = 3 * time / 4}, time);
    }
  };
  for (std::uint64_t i = 0; i < times.size(); ++i) {
    if (simulated.size() > late) tell(simulated.size() - late);
    i += plan.leave_out(i);
    REQUIRE(i < times.size());
    simulated.push_back(i);
    sampled.sum += times[i];
  }
  tell(simulated.size());
  const auto estimate = plan.estimate();
  CHECK(estimate.history.compute == Approx(estimate.seconds / 4));
  CHECK(estimate.history.bandwidth == Approx(3 * estimate.seconds / 4));
  CHECK(plan.left_out() + simulated.size() == times.size());
  sampled.sum += estimate.seconds;
  sampled.half_width = estimate.half_width;
  sampled.left_out = plan.left_out();
  return sampled;
}

}  // namespace

TEST_CASE("The interval of a sample holds the sum of all iterations in 95 of 100 series") {
  constexpr int cases = 400;  // under sanitizers, too: of a tenth, chance decides
  const bool are_alike = GENERATE(false, true);
  using Make = Times (*)(core::Random&);
  const auto [name, make, least] = GENERATE(table<std::string, Make, double>(
      {{"independent", [](core::Random& r) { return independent(r, 1000, 0.05); }, 0.5},
       {"correlated", [](core::Random& r) { return correlated(r, 2000, 0.05, 0.9); }, 0.3},
       {"long correlated", [](core::Random& r) { return correlated(r, 2000, 0.1, 0.99); }, 0.3},
       {"drifting", [](core::Random& r) { return drifting(r, 1000, 0.03); }, 0.5}}));
  INFO(name << (are_alike ? ", told to be alike" : ""));
  core::Random random(7, "series");
  int inside = 0;
  double left_out = 0, width = 0;
  for (int i = 0; i < cases; ++i) {
    const auto times = make(random);
    const auto sampled = sample(times, 0.01, 0, are_alike);
    inside += sampled.is_inside(times) ? 1 : 0;
    left_out += static_cast<double>(sampled.left_out) / static_cast<double>(times.size());
    width += sampled.half_width / sampled.sum;
  }
  INFO(inside << " of " << cases << " inside, left out " << left_out / cases << ", half width " << width / cases);
  CHECK(inside >= 0.95 * cases - 2 * std::sqrt(0.95 * 0.05 * cases));  // by chance, two standard deviations fewer
  CHECK(left_out / cases > least);
  CHECK(width / cases < 0.012);
}

TEST_CASE("An interval as wide as wanted has few iterations where they vary little, and all where they vary much") {
  core::Random random(3, "series");
  const auto calm = independent(random, 2000, 0.01), wild = independent(random, 500, 0.8);
  CHECK(sample(calm, 0.01).left_out > 1900);
  CHECK(sample(calm, 0.0002).left_out < sample(calm, 0.001).left_out);
  CHECK(sample(wild, 0.001).left_out == 0);
  CHECK(sample(Times(1000, 2.5), 0.01).left_out > 900);
  CHECK(sample(Times(1000, 2.5), 0.01).sum == Approx(2500));
  CHECK(sample(Times(39, 1), 0.01).left_out == 0);
}

TEST_CASE("Fewer iterations do where all do the same, if that is known before the warm-up is over") {
  core::Random random(4, "series");
  const auto calm = independent(random, 1000, 0.002), wild = independent(random, 500, 0.8);
  CHECK(calm.size() - sample(calm, 0.01).left_out > 55);
  CHECK(calm.size() - sample(calm, 0.01, 0, true).left_out < 45);
  CHECK(sample(calm, 0.01, 0, true).is_inside(calm));
  CHECK(sample(wild, 0.001, 0, true).left_out == 0);
  SamplingPlan plan(calm.size(), 0.01);
  for (std::uint64_t i = 0; i < calm.size(); ++i) {
    if (i == 20) plan.all_are_alike();
    i += plan.leave_out(i);
    plan.completed(i, {}, calm[i]);
  }
  CHECK(plan.left_out() == sample(calm, 0.01).left_out);
}

TEST_CASE("What comes late, and a long warm-up, leave the estimate as it should be") {
  core::Random random(5, "series");
  auto times = independent(random, 2000, 0.02);
  for (const std::size_t late : {1U, 3U, 8U}) {
    const auto sampled = sample(times, 0.01, late);
    CHECK(sampled.left_out > 1000);
    CHECK(sampled.is_inside(times));
  }
  for (std::size_t i = 0; i < 100; ++i) times[i] *= 1 + 5 * std::exp(-static_cast<double>(i) / 20);
  SamplingPlan plan(times.size(), 0.01);
  for (std::uint64_t i = 0; i < times.size(); ++i) {
    i += plan.leave_out(i);
    plan.completed(i, {}, times[i]);
  }
  REQUIRE(plan.warm_up());
  CHECK(*plan.warm_up() > 40);
  CHECK(sample(times, 0.01).is_inside(times));
  // Iterations that get longer and longer are never steady, and followed all the same.
  Times growing(1000);
  for (std::size_t i = 0; i < growing.size(); ++i) growing[i] = std::exp(static_cast<double>(i) / 100);
  CHECK(sample(growing, 0.05).is_inside(growing));
}
