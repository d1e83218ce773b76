#include "toroid/study/statistics/contest.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"

namespace toroid::study {
namespace {

double nearly_normal(core::Random& random) {
  double value = -6;
  for (int i = 0; i < 12; ++i) value += random.unit();
  return value;
}

/// Sums over the jobs of each segment.
Sample sums_of(const Sample& jobs, std::size_t segments) {
  Sample sums(segments, 0.0);
  for (std::size_t i = 0; i < jobs.size(); ++i) sums[i * segments / jobs.size()] += jobs[i];
  return sums;
}

/// As if jobs did not depend on each other.
bool mean_of_pairs_differs(const Sample& one, const Sample& other) {
  Sample apart;
  for (std::size_t i = 0; i < one.size(); ++i) apart.push_back(one[i] - other[i]);
  const auto interval = interval_of_mean(apart);
  return interval->low > 0 || interval->high < 0;
}

TEST_CASE("a sample and a constant are compared by the sign test, two constants without one") {
  const Runs sample{false, {5, 6, 7, 8, 9, 10}, {0, 1, 2, 3, 4, 5}}, constant{true, {4}, {0}};
  const auto above = difference_of(sample, constant, true), below = difference_of(constant, sample, true);
  CHECK(above.test == "sign");
  CHECK(above.paired_by.empty());
  CHECK(above.p == Approx(2.0 / 64));
  CHECK(above.mean == Approx(3.5));
  CHECK(above.share_below == 0);
  CHECK(below.p == above.p);
  CHECK(below.mean == Approx(-3.5));
  CHECK(below.share_below == 1);
  REQUIRE(above.interval);
  REQUIRE(below.interval);
  CHECK(below.interval->low == -above.interval->high);
  const auto certain = difference_of(constant, {true, {3}}, false);
  CHECK(certain.test.empty());
  CHECK(certain.mean == 1);
  CHECK_FALSE(certain.interval);
}

std::optional<Shift> ratio_between(const Runs& one, const Runs& other, bool same_lots, double confidence = 0.95) {
  return ratio_of(one, other, difference_of(one, other, same_lots), confidence);
}

TEST_CASE("a ratio is that of the one over the other, whatever the unit") {
  const Runs slow{false, {4, 5, 6, 7, 8, 9}, {0, 1, 2, 3, 4, 5}},
      fast{false, {2, 2.5, 3, 3.5, 4, 4.5}, {0, 1, 2, 3, 4, 5}};
  for (const bool paired : {false, true}) {
    const auto ratio = ratio_between(slow, fast, paired), back = ratio_between(fast, slow, paired);
    REQUIRE(ratio);
    CHECK(ratio->value == Approx(2));
    REQUIRE(ratio->interval);
    CHECK(ratio->interval->low <= 2 + 1e-12);
    CHECK(ratio->interval->high >= 2 - 1e-12);
    CHECK(back->value == Approx(0.5));
    CHECK(back->interval->low == Approx(1 / ratio->interval->high));
    auto in_microseconds = slow, others = fast;
    for (auto* runs : {&in_microseconds, &others})
      for (double& value : runs->values) value *= 1e6;
    CHECK(ratio_between(in_microseconds, others, paired)->interval->low == Approx(ratio->interval->low));
    CHECK_FALSE(ratio_between(slow, fast, paired, 0.999)->interval);  // too few runs for so wide an interval
  }
  // All pairs have the same ratio.
  CHECK(ratio_between(slow, fast, true)->interval->high == Approx(2));
  const Runs constant{true, {3}, {0}};
  CHECK(ratio_between(constant, {true, {4}}, false)->value == Approx(0.75));
  CHECK_FALSE(ratio_between(constant, {true, {4}}, false)->interval);
  CHECK(ratio_between(slow, constant, false)->value == Approx(std::sqrt(6.0 * 7.0) / 3));
  CHECK(ratio_between(constant, slow, false)->value == Approx(3 / std::sqrt(6.0 * 7.0)));
  CHECK(ratio_between(constant, slow, false)->interval->high == Approx(3.0 / 4));
  CHECK_FALSE(ratio_between(slow, {true, {0}}, false));  // no time at all
}

TEST_CASE("equal runs count in ratios, and what differs by rounding is equal there, too") {
  // 12 of 20 pairs are equal but for rounding, 8 are faster.
  Runs one, other;
  for (std::size_t i = 0; i < 20; ++i) {
    const double time = 1e-3 * static_cast<double>(i + 1);
    other.values.push_back(time);
    one.values.push_back(i < 12 ? time * (1 + 1e-12) : 0.9 * time);
    for (auto* runs : {&one, &other}) runs->repetitions.push_back(i);
  }
  const auto difference = difference_of(one, other, true);
  CHECK(difference.p == Approx(2.0 / 256));
  CHECK(difference.equal_share == Approx(0.6));
  const auto ratio = ratio_of(one, other, difference);
  CHECK(ratio->value == Approx(std::sqrt(0.9)));  // most pairs of pairs are an equal one and a lower one
  CHECK(ratio->interval->high == 1);
  CHECK(ratio->interval->low < 1);
  // The same beside a constant.
  Runs sample{false, {}, one.repetitions};
  for (std::size_t i = 0; i < 20; ++i) sample.values.push_back(i < 12 ? 5 * (1 - 1e-12) : 4);
  const auto beside = difference_of(sample, {true, {5}}, false);
  CHECK(beside.equal_share == Approx(0.6));
  CHECK(ratio_of(sample, {true, {5}}, beside)->interval->high == 1);
}

TEST_CASE("the runs that could show a difference count equal ones, too") {
  // Of 20 pairs 15 are equal, and 5 lower: of n pairs n / 4 tell as much.
  Runs one, other, sample;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto time = static_cast<double>(i + 1);
    other.values.push_back(time);
    one.values.push_back(i < 15 ? time : 0.5 * time);
    sample.values.push_back(i < 15 ? 7 : 6);
    for (auto* runs : {&one, &other, &sample}) runs->repetitions.push_back(i);
  }
  const auto pairs = difference_of(one, other, true);
  CHECK(pairs.p == Approx(0.0625));
  CHECK(*runs_to_show(pairs, 0.05) == Approx(4 * 7.849 / (3 * 0.25)).epsilon(1e-3));
  const auto constant = difference_of(sample, {true, {7}}, false);
  CHECK(constant.p == Approx(0.0625));
  CHECK(*runs_to_show(constant, 0.05) == Approx(4 * 7.849 / (4 * 0.25)).epsilon(1e-3));
  CHECK_FALSE(runs_to_show(difference_of(other, other, true), 0.05));  // nothing differs
}

TEST_CASE("what pairs have in common does not blur their difference") {
  core::Random random(1, "common");
  Runs a, b;
  for (std::size_t r = 0; r < 8; ++r) {
    const double stream = 1000 * random.unit();
    a.values.push_back(stream);
    b.values.push_back(stream + 41 + 5 * static_cast<double>(r));
    a.repetitions.push_back(r);
    b.repetitions.push_back(r);
  }
  const auto paired = difference_of(b, a, true), unpaired = difference_of(b, a, false);
  CHECK(paired.p == Approx(0.0078125));
  CHECK(unpaired.p == Approx(mann_whitney(a.values, b.values)));
  CHECK(unpaired.p > 0.05);
  CHECK(paired.mean == Approx(58.5));
  CHECK(unpaired.mean == Approx(58.5));
  REQUIRE(paired.interval);
  REQUIRE(unpaired.interval);
  CHECK(paired.interval->low > 0);
  CHECK(unpaired.interval->low < 0);
}

TEST_CASE("segments of independent jobs are pairs as they are") {
  core::Random random(2, "jobs");
  Sample one, other;
  for (std::size_t i = 0; i < 320; ++i) {
    one.push_back(random.unit());
    other.push_back(one.back() + 0.01 * static_cast<double>(1 + 7 * (i / 10) % 5));
  }
  const auto d = difference_by_job(sums_of(one, 32), sums_of(other, 32), std::vector<std::size_t>(32, 10));
  CHECK(d.test == "t_of_series");
  CHECK(d.paired_by == "job");
  CHECK(d.pairs == 32);
  CHECK(d.effective_pairs > 25);
  CHECK(d.p < 1e-9);
  CHECK(d.mean == Approx(mean(one) - mean(other)));
  CHECK(d.share_below == 1);
  REQUIRE(d.interval);
  CHECK(d.interval->high < 0);
  // Segments of a job or two say little: here each four become one, of six jobs.
  const std::vector<std::size_t> few{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1,
                                     2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1};
  Sample twice, thrice;
  for (const auto jobs : few) {
    twice.push_back(2.0 * static_cast<double>(jobs));
    thrice.push_back(3.0 * static_cast<double>(jobs));
  }
  const auto joined = difference_by_job(twice, thrice, few);
  CHECK(joined.pairs == 8);
  CHECK(joined.mean == Approx(-1));
  const auto none = difference_by_job(Sample(32, 0.0), Sample(32, 0.0), std::vector<std::size_t>(32, 0));
  CHECK(none.test.empty());
  CHECK(none.mean == 0);  // and is a number
}

TEST_CASE("jobs that are alike for long are not taken for independent") {
  // Two settings that do not differ: the difference of a job drifts like that of waits, back to nothing after `memory`
  // jobs. A test that takes the jobs for independent finds most of them different.
  for (const double memory : {1.0, 30.0, 200.0, 800.0}) {
    core::Random random(3, "drift");
    const double keep = std::exp(-1 / memory);
    constexpr int logs = 250;
    constexpr std::size_t jobs = 3200;
    int wrong = 0, wrong_by_jobs = 0;
    for (int log = 0; log < logs; ++log) {
      Sample one, other(jobs, 1000.0);
      double drift = nearly_normal(random) / std::sqrt(1 - keep * keep);
      for (std::size_t i = 0; i < jobs; ++i) one.push_back(1000 + (drift = keep * drift + nearly_normal(random)));
      const auto d = difference_by_job(sums_of(one, 32), sums_of(other, 32), std::vector<std::size_t>(32, jobs / 32));
      wrong += !d.test.empty() && d.p < 0.05 ? 1 : 0;
      wrong_by_jobs += mean_of_pairs_differs(one, other) ? 1 : 0;
    }
    INFO("memory " << memory << ": " << wrong << " of " << logs << ", by jobs " << wrong_by_jobs);
    CHECK(wrong <= 0.06 * logs);
    if (memory > 1) CHECK(wrong_by_jobs > 0.5 * logs);
  }
}

TEST_CASE("where all of a log is one wait there is no test") {
  Sample one;
  for (int i = 0; i < 640; ++i) one.push_back(1000 + i);
  const auto d = difference_by_job(sums_of(one, 32), Sample(32, 20 * 1000.0), std::vector<std::size_t>(32, 20));
  CHECK(d.test.empty());
  CHECK(d.p == 1);
  CHECK(d.mean == Approx(319.5));
}

}  // namespace
}  // namespace toroid::study
