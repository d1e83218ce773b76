#include "toroid/study/statistics/statistics.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "core/random.hpp"

using namespace toroid::study;

namespace {

// Ozone in New York by month, May to September 1973: the example of R's help page of kruskal.test and wilcox.test.
const std::vector<Sample> ozone{
    {41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37},
    {29, 71, 39, 23, 21, 37, 20, 12, 13},
    {135, 49, 32, 64, 40, 77, 97, 97, 85, 10, 27, 7, 48, 35, 61, 79, 63, 16, 80, 108, 20, 52, 82, 50, 64, 59},
    {39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85},
    {96, 78, 73, 91, 47, 32, 20, 23, 21, 24, 44, 21, 28, 9, 13, 46, 18, 13, 24, 16, 13, 23, 36, 7, 14, 30, 14, 18, 20}};

/// Small whole numbers: many ties.
Sample random_sample(toroid::core::Random& random, std::size_t size, std::uint64_t bound = 6) {
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) sample.push_back(static_cast<double>(random.below(bound)));
  return sample;
}

/// U by its definition: pairs won, ties half, as the distance from an even result.
double distance_from_even(const Sample& a, const Sample& b) {
  double won = 0;
  for (const double x : a)
    for (const double y : b) won += x > y ? 1 : x == y ? 0.5 : 0;
  return std::abs(won - static_cast<double>(a.size() * b.size()) / 2);
}

/// The share of all ways to divide the values into samples of these sizes that are as far from even, or farther.
double brute_force_mann_whitney(const Sample& a, const Sample& b) {
  Sample all(a);
  all.insert(all.end(), b.begin(), b.end());
  int far = 0, ways = 0;
  for (std::size_t subset = 0; subset < std::size_t{1} << all.size(); ++subset) {
    Sample first, second;
    for (std::size_t i = 0; i < all.size(); ++i) ((subset >> i & 1) != 0 ? first : second).push_back(all[i]);
    if (first.size() != a.size()) continue;
    ++ways;
    far += distance_from_even(first, second) >= distance_from_even(a, b) - 1e-9 ? 1 : 0;
  }
  return static_cast<double>(far) / ways;
}

}  // namespace

TEST_CASE("Kruskal-Wallis on a textbook example with ties") {
  const auto r = kruskal_wallis(ozone);
  CHECK(r.h == Approx(29.267).margin(5e-4));
  CHECK(r.degrees_of_freedom == 4);
  CHECK(r.p == Approx(6.901e-06).epsilon(1e-4));
}

TEST_CASE("Kruskal-Wallis without ties, by hand") {
  // Rank sums 6, 15, 24 of three: 12 / 90 * (36 + 225 + 576) / 3 - 30 = 7.2; chi-squared with two degrees is e^(-h/2).
  const auto r = kruskal_wallis({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(r.h == Approx(7.2));
  CHECK(r.p == Approx(std::exp(-3.6)));
}

TEST_CASE("Kruskal-Wallis depends on the order of values only") {
  auto changed = ozone;
  for (auto& sample : changed) {
    for (double& value : sample) value = std::exp(value / 20);
    std::reverse(sample.begin(), sample.end());
  }
  std::swap(changed[0], changed[3]);
  CHECK(kruskal_wallis(changed).h == Approx(kruskal_wallis(ozone).h));
}

TEST_CASE("the p of Kruskal-Wallis is that of permutations") {
  const std::vector<Sample> samples{{3, 5, 5, 8, 9, 12}, {1, 2, 5, 6, 6, 7}, {7, 9, 11, 12, 13, 15}};
  const auto observed = kruskal_wallis(samples);
  Sample all;
  for (const auto& sample : samples) all.insert(all.end(), sample.begin(), sample.end());
  toroid::core::Random random(1, "permutations");
  constexpr int shuffles = 20000;
  int far = 0;
  for (int i = 0; i < shuffles; ++i) {
    random.shuffle(all);
    const auto part = [&](std::ptrdiff_t k) { return Sample(all.begin() + 6 * k, all.begin() + 6 * (k + 1)); };
    far += kruskal_wallis({part(0), part(1), part(2)}).h >= observed.h - 1e-9 ? 1 : 0;
  }
  CHECK(observed.p == Approx(static_cast<double>(far) / shuffles).margin(0.01));
}

TEST_CASE("equal values tell nothing") {
  const Sample same{2, 2, 2};
  CHECK(kruskal_wallis({same, same}).h == 0);
  CHECK(kruskal_wallis({same, same}).p == 1);
  CHECK(mann_whitney(same, same) == Approx(1));
  CHECK(mann_whitney(Sample(30, 2.0), Sample(30, 2.0)) == 1);
  CHECK(sign_test(same, 2) == 1);
  CHECK_FALSE(pearson(same, Sample{1, 2, 3}));
  CHECK_FALSE(spearman(Sample{1, 2, 3}, same));
  CHECK_FALSE(pearson(Sample{1, 2}, Sample{1, 2}));
}

TEST_CASE("differences by rounding are ties") {
  const double t = 0.123;
  CHECK(mid_ranks(Sample{t, t * (1 + 1e-13), 1, t * (1 - 1e-13)}) == std::vector<double>{2, 2, 4, 2});
  CHECK(mid_ranks(Sample{t, t * (1 + 1e-6)}) == std::vector<double>{1, 2});
}

TEST_CASE("Mann-Whitney, published results") {
  const Sample at_term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Sample before{1.15, 0.88, 0.90, 0.74, 1.21};
  CHECK(mann_whitney(at_term, before) == Approx(2 * 0.1272).margin(1e-4));  // exact; R: one-sided 0.1272
  CHECK(mann_whitney(ozone[0], ozone[3]) == Approx(0.0001208).epsilon(1e-3));
}

TEST_CASE("Mann-Whitney is the share of all ways to deal the values out") {
  toroid::core::Random random(1, "samples");
  for (int i = 0; i < 200; ++i) {
    const auto a = random_sample(random, 1 + random.below(6)), b = random_sample(random, 1 + random.below(6));
    CHECK(mann_whitney(a, b) == Approx(brute_force_mann_whitney(a, b)));
    CHECK(mann_whitney(a, b) == mann_whitney(b, a));
    if (a.size() == b.size()) CHECK(mann_whitney(a, b) >= least_mann_whitney(a.size(), b.size()) - 1e-12);
  }
  CHECK(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}) == Approx(2.0 / 252));
  CHECK(least_mann_whitney(5, 5) == Approx(2.0 / 252));
  CHECK(least_mann_whitney(100000, 100000) == 0);
}

TEST_CASE("Mann-Whitney of large samples is the share of shuffles") {
  toroid::core::Random random(2, "samples");
  for (const std::uint64_t bound : {10U, 12U, 14U}) {
    const auto a = random_sample(random, 25, 10), b = random_sample(random, 30, bound);
    Sample all(a);
    all.insert(all.end(), b.begin(), b.end());
    constexpr int shuffles = 4000;
    int far = 0;
    for (int i = 0; i < shuffles; ++i) {
      random.shuffle(all);
      far += distance_from_even(Sample(all.begin(), all.begin() + 25), Sample(all.begin() + 25, all.end())) >=
                     distance_from_even(a, b) - 1e-9
                 ? 1
                 : 0;
    }
    CHECK(mann_whitney(a, b) == Approx(static_cast<double>(far) / shuffles).margin(0.025));
  }
}

TEST_CASE("the sign test is a row of coins") {
  for (unsigned n = 1; n <= 10; ++n)
    for (unsigned below = 0; below <= n; ++below) {
      int far = 0;
      for (unsigned coins = 0; coins < 1U << n; ++coins)
        far += std::abs(2 * std::popcount(coins) - static_cast<int>(n)) >=
                       std::abs(2 * static_cast<int>(below) - static_cast<int>(n))
                   ? 1
                   : 0;
      Sample sample(below, 1.0);
      sample.resize(n, 3.0);
      sample.push_back(2);  // equal to the constant: does not count
      CHECK(sign_test(sample, 2) == Approx(std::ldexp(far, -static_cast<int>(n))));
    }
  CHECK(least_sign_test(6) == Approx(1.0 / 32));
  CHECK(sign_test(Sample(6, 1.0), 2) == Approx(least_sign_test(6)));
  CHECK(least_sign_test(1) == 1);
}

namespace {

/// Sum of the ranks of |a - b| where a is the larger one, less the same where b is: by Wilcoxon's definition.
double signed_rank_sum(const Sample& differences) {
  Sample sizes;
  for (const double d : differences) sizes.push_back(std::abs(d));
  double sum = 0;
  for (const double d : differences) {
    double rank = 0.5;  // as many as are smaller, and half of those as large, itself one of them
    for (const double size : sizes) rank += size < std::abs(d) ? 1 : size == std::abs(d) ? 0.5 : 0;
    sum += d > 0 ? rank : -rank;
  }
  return sum;
}

/// The share of all ways to give the differences signs that are as far from even, or farther.
double brute_force_signed_rank(Sample differences) {
  std::erase(differences, 0.0);
  const double observed = std::abs(signed_rank_sum(differences));
  int far = 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << differences.size(); ++signs) {
    Sample changed;
    for (std::size_t i = 0; i < differences.size(); ++i)
      changed.push_back((signs >> i & 1) != 0 ? differences[i] : -differences[i]);
    far += std::abs(signed_rank_sum(changed)) >= observed - 1e-9 ? 1 : 0;
  }
  return std::ldexp(far, -static_cast<int>(differences.size()));
}

}  // namespace

TEST_CASE("the signed-rank test, published results") {
  // Hollander and Wolfe's depression scores, the example of R's help page of wilcox.test: one-sided p = 0.01953.
  const Sample first{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Sample second{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  CHECK(signed_rank(first, second) == Approx(2 * 0.01953).margin(1e-5));
  CHECK(paired_share_below(first, second) == Approx(5.0 / 45));  // V = 40
  // Eight differences of one sign: 2 of 256.
  CHECK(signed_rank(Sample{41, 44, 52, 55, 60, 66, 71, 78}, Sample(8, 0.0)) == Approx(0.0078125));
}

TEST_CASE("the signed-rank test is the share of all signs") {
  toroid::core::Random random(5, "pairs");
  for (int i = 0; i < 200; ++i) {
    const auto size = 1 + random.below(9);
    const auto a = random_sample(random, size), b = random_sample(random, size);  // with ties and equal pairs
    Sample differences;
    for (std::size_t k = 0; k < size; ++k) differences.push_back(a[k] - b[k]);
    CHECK(signed_rank(a, b) == Approx(brute_force_signed_rank(differences)));
    CHECK(signed_rank(a, b) == Approx(signed_rank(b, a)));
    CHECK(signed_rank(a, b) >= least_sign_test(size) - 1e-12);
    CHECK(paired_share_below(a, b) == Approx(1 - paired_share_below(b, a)));
  }
}

TEST_CASE("the signed-rank test of many pairs is the share of random signs") {
  toroid::core::Random random(6, "pairs");
  for (const std::size_t size : {150U, 250U}) {  // exact, by the normal distribution
    Sample differences;
    for (std::size_t i = 0; i < size; ++i) differences.push_back(std::floor(12 * random.unit()) - 5);
    const double p = signed_rank(differences, Sample(size, 0.0));
    std::erase(differences, 0.0);
    const double observed = std::abs(signed_rank_sum(differences));
    const auto sum = [&](const Sample& signs) {
      Sample changed;
      for (std::size_t i = 0; i < differences.size(); ++i) changed.push_back(signs[i] * differences[i]);
      return std::abs(signed_rank_sum(changed));
    };
    constexpr int draws = 1500;
    int far = 0;
    for (int i = 0; i < draws; ++i) {
      Sample signs;
      for (std::size_t k = 0; k < differences.size(); ++k) signs.push_back(random.below(2) == 0 ? 1 : -1);
      far += sum(signs) >= observed - 1e-9 ? 1 : 0;
    }
    CHECK(p == Approx(static_cast<double>(far) / draws).margin(0.035));
  }
}

TEST_CASE("values of a series that are alike are worth less, by hand") {
  // Mean 2.5, squares 14 together, products of neighbours -0.75 + 2.25 - 0.75 + 1.25 + 1.25 - 0.75 - 0.75 = 1.75: the
  // correlation is 1/8, with (1 + 4/8) / 8 for what is hidden 5/16, and 8 (1 - 5/16) / (1 + 5/16) = 88/21.
  const auto found = mean_of_series(Sample{2, 4, 4, 2, 0, 2, 4, 2});
  REQUIRE(found);
  CHECK(found->effective == Approx(88.0 / 21));
  CHECK((found->interval.low + found->interval.high) / 2 == Approx(2.5));
  const Sample alternating{1, 2, 1, 2, 1, 2, 1, 2};  // no more worth than they are
  REQUIRE(mean_of_series(alternating));
  CHECK(mean_of_series(alternating)->effective == 8);
  Sample rising(16);
  std::iota(rising.begin(), rising.end(), 1);
  CHECK_FALSE(mean_of_series(rising));
  CHECK(mean_of_series(Sample(8, 0.0))->p == 1);
  CHECK(mean_of_series(Sample(8, 3.0))->interval.low == 3);
  CHECK_FALSE(mean_of_series(Sample{1}));
}

TEST_CASE("p and interval of a series agree") {
  toroid::core::Random random(7, "series");
  for (int i = 0; i < 200; ++i) {
    Sample series;
    double drift = 0;
    for (int k = 0; k < 32; ++k) series.push_back(0.2 + (drift = 0.3 * drift + random.unit() - 0.5));
    const auto found = mean_of_series(series);
    if (found) CHECK((found->p < 0.05) == (found->interval.low > 0 || found->interval.high < 0));
  }
}

TEST_CASE("intervals of means as R's t.test gives them") {
  // Student's sleep data, the example of that help page.
  const Sample first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const Sample second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const auto welch = interval_of_difference(first, second);
  REQUIRE(welch);
  CHECK(welch->low == Approx(-3.3654832));
  CHECK(welch->high == Approx(0.2054832));
  Sample apart;
  for (std::size_t i = 0; i < 10; ++i) apart.push_back(first[i] - second[i]);
  const auto paired = interval_of_mean(apart);
  REQUIRE(paired);
  CHECK(paired->low == Approx(-2.4598858));
  CHECK(paired->high == Approx(-0.7001142));
  CHECK_FALSE(interval_of_mean(Sample{1}));
  CHECK_FALSE(interval_of_difference(Sample{1}, Sample{1, 2}));
  CHECK(interval_of_difference(Sample{1, 1}, Sample{3, 3})->low == -2);
}

TEST_CASE("19 of 20 intervals hold the mean") {
  toroid::core::Random random(8, "intervals");
  int hold = 0;
  constexpr int samples = 2000;
  for (int i = 0; i < samples; ++i) {
    Sample sample;
    for (int k = 0; k < 5; ++k) {
      double value = -6;  // nearly normal: of twelve uniform ones
      for (int u = 0; u < 12; ++u) value += random.unit();
      sample.push_back(value);
    }
    const auto interval = interval_of_mean(sample);
    hold += interval->low <= 0 && interval->high >= 0 ? 1 : 0;
  }
  CHECK(static_cast<double>(hold) / samples == Approx(0.95).margin(0.015));
}

TEST_CASE("Holm's p-values as R's p.adjust gives them") {
  const auto check = [](const std::vector<double>& p, const std::vector<double>& expected) {
    const auto adjusted = holm(p);
    REQUIRE(adjusted.size() == expected.size());
    for (std::size_t i = 0; i < p.size(); ++i) CHECK(adjusted[i] == Approx(expected[i]));
  };
  check({0.01, 0.02, 0.03, 0.04}, {0.04, 0.06, 0.06, 0.06});
  check({0.04, 0.001, 0.3}, {0.08, 0.003, 0.3});
  check({0.5, 0.9}, {1, 1});
  check({}, {});
}

TEST_CASE("correlations, published results") {
  const Sample x{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1};
  const Sample y{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8};
  CHECK(*pearson(x, y) == Approx(0.5711816));
  CHECK(*spearman(x, y) == Approx(0.6));
}

TEST_CASE("Spearman without ties is 1 - 6 sum d^2 / (n^3 - n), and knows the order only") {
  toroid::core::Random random(3, "orders");
  Sample x(9), y(9);
  std::iota(x.begin(), x.end(), 1);
  std::iota(y.begin(), y.end(), 1);
  for (int i = 0; i < 50; ++i) {
    random.shuffle(y);
    double squares = 0;
    for (std::size_t k = 0; k < 9; ++k) squares += (x[k] - y[k]) * (x[k] - y[k]);
    CHECK(*spearman(x, y) == Approx(1 - 6 * squares / 720).margin(1e-12));
    Sample stretched(y);
    for (double& value : stretched) value = std::exp(value);
    CHECK(*spearman(x, stretched) == Approx(*spearman(x, y)).margin(1e-12));
  }
  CHECK(*pearson(x, x) == Approx(1));
}

TEST_CASE("means, medians, and the share of pairs that one sample wins") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(mean(Sample{1, 2, 6}) == 3);
  CHECK(standard_deviation(Sample{1, 2, 6}) == Approx(std::sqrt(7.0)));
  CHECK(share_below(Sample{1, 2}, Sample{3, 4}) == 1);
  CHECK(share_below(Sample{1, 3}, Sample{3}) == 0.75);
  toroid::core::Random random(4, "pairs");
  for (int i = 0; i < 50; ++i) {
    const auto a = random_sample(random, 1 + random.below(9)), b = random_sample(random, 1 + random.below(9));
    double below = 0;
    for (const double x : a)
      for (const double y : b) below += x < y ? 1 : x == y ? 0.5 : 0;
    CHECK(share_below(a, b) == Approx(below / static_cast<double>(a.size() * b.size())).margin(1e-12));
  }
}

TEST_CASE("Shifts and their intervals are those of Hollander and Wolfe's examples") {
  // Nonparametric Statistical Methods, examples 3.1 (depression before and after a drug) and 4.1 (tritiated water).
  const Sample before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30},
      after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  const auto pairs = shift_of_pairs(before, after);
  CHECK(pairs.value == Approx(0.46));
  REQUIRE(pairs.interval);
  CHECK(pairs.interval->low == Approx(0.010));
  CHECK(pairs.interval->high == Approx(0.786));
  const Sample term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, early{1.15, 0.88, 0.90, 0.74, 1.21};
  const auto samples = shift_of_samples(term, early);
  CHECK(samples.value == Approx(0.305));
  REQUIRE(samples.interval);
  CHECK(samples.interval->low == Approx(-0.15));
  CHECK(samples.interval->high == Approx(0.76));
}

namespace {

Sample shifted(Sample sample, double by) {
  for (double& value : sample) value += by;
  return sample;
}

Sample real_sample(toroid::core::Random& random, std::size_t size) {
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) sample.push_back(random.unit());
  return sample;
}

/// The test must reject every shift outside of the interval, and none inside.
template <class Test>
void check_interval(const Shift& shift, double level, const Test& p_after_shift) {
  if (!shift.interval) return;
  constexpr double little = 1e-6;
  CHECK(p_after_shift(shift.interval->low + little) > level);
  CHECK(p_after_shift(shift.interval->high - little) > level);
  CHECK(p_after_shift(shift.interval->low - little) <= level);
  CHECK(p_after_shift(shift.interval->high + little) <= level);
  CHECK(shift.interval->low <= shift.value);
  CHECK(shift.value <= shift.interval->high);
}

}  // namespace

TEST_CASE("The intervals of shifts hold what the tests do not reject") {
  toroid::core::Random random(5, "shifts");
  for (int round = 0; round < 60; ++round) {
    const auto n = 1 + random.below(16), m = 1 + random.below(16);
    const auto a = real_sample(random, n), b = real_sample(random, m), c = real_sample(random, n);
    for (const double level : {0.05, 0.0125}) {
      CAPTURE(round, n, m, level);
      const auto samples = shift_of_samples(a, b, 1 - level), pairs = shift_of_pairs(a, c, 1 - level);
      check_interval(samples, level, [&](double by) { return mann_whitney(a, shifted(b, by)); });
      check_interval(pairs, level, [&](double by) { return signed_rank(a, shifted(c, by)); });
      check_interval(shift_from_constant(a, 0.3, 1 - level), level, [&](double by) { return sign_test(a, 0.3 + by); });
      // There is no interval exactly where no values, however far apart, would be rejected.
      CHECK(samples.interval.has_value() == (least_mann_whitney(n, m) <= level));
      CHECK(pairs.interval.has_value() == (least_sign_test(n) <= level));
    }
  }
  // Beyond what is computed exactly.
  for (const std::size_t n : {60U, 250U}) {
    const auto a = real_sample(random, n), b = real_sample(random, n);
    check_interval(shift_of_samples(a, b), 0.05, [&](double by) { return mann_whitney(a, shifted(b, by)); });
    const auto pairs = shift_of_pairs(a, b);
    CHECK(signed_rank(a, shifted(b, pairs.interval->low)) == Approx(0.05).margin(0.005));
    CHECK(signed_rank(a, shifted(b, pairs.interval->high)) == Approx(0.05).margin(0.005));
  }
  CHECK(shift_of_samples(Sample(5000, 2.0), Sample(5000, 0.5)).value == 1.5);  // of thinned samples
}

TEST_CASE("With ties the intervals of shifts hold the true shift at least as often as they say") {
  toroid::core::Random random(7, "ties");
  const auto drawn = [&](std::size_t size, double by) {
    Sample sample;  // of few values, mostly 1
    for (std::size_t i = 0; i < size; ++i)
      sample.push_back(by + std::max(1.0, static_cast<double>(random.below(6)) - 1));
    return sample;
  };
  constexpr int rounds = 1000;
  int of_samples = 0, of_pairs = 0, of_constant = 0;
  const auto holds = [](const Shift& shift, double truth) {
    return shift.interval && shift.interval->low <= truth && truth <= shift.interval->high ? 1 : 0;
  };
  for (int i = 0; i < rounds; ++i) {
    const auto a = drawn(12, 2), b = drawn(10, 0), c = drawn(12, 0);
    of_samples += holds(shift_of_samples(a, b), 2);
    of_pairs += holds(shift_of_pairs(a, c), 2);
    of_constant += holds(shift_from_constant(a, 0), 3);  // the median, as half of the values are 1 + 2
  }
  CHECK(of_samples >= 0.94 * rounds);
  CHECK(of_pairs >= 0.94 * rounds);
  CHECK(of_constant >= 0.94 * rounds);
}

TEST_CASE("So many runs as the tests are said to need find a difference in four of five cases") {
  toroid::core::Random random(6, "power");
  const auto nearly_normal = [&] {
    double value = -6;
    for (int i = 0; i < 12; ++i) value += random.unit();
    return value;
  };
  const auto normal_sample = [&](double runs, double mean) {
    Sample sample;
    for (double i = 0; i < runs; ++i) sample.push_back(mean + nearly_normal());
    return sample;
  };
  const auto found = [&](const auto& p) {
    int times = 0;
    for (int i = 0; i < 500; ++i) times += p() < 0.05 ? 1 : 0;
    return times / 500.0;
  };
  const auto chance = [](double z) { return std::erfc(-z / std::sqrt(2)) / 2; };
  const double samples =
      *runs_to_find(chance(1 / std::sqrt(2)), 0.05, factor_of_mann_whitney);  // means one deviation apart
  CHECK(found([&] { return mann_whitney(normal_sample(samples, 0), normal_sample(samples, 1)); }) ==
        Approx(0.8).margin(0.08));
  const double pairs = *runs_to_find(chance(0.4 * std::sqrt(2)), 0.05, factor_of_signed_rank);
  CHECK(found([&] {
          const auto a = normal_sample(pairs, 0.4);
          return signed_rank(a, Sample(a.size(), 0.0));
        }) == Approx(0.8).margin(0.08));
  const double signs = *runs_to_find(chance(0.5), 0.05, factor_of_sign_test);
  CHECK(found([&] { return sign_test(normal_sample(signs, 0.5), 0); }) == Approx(0.8).margin(0.1));
  CHECK_FALSE(runs_to_find(0.5, 0.05, factor_of_mann_whitney));
  CHECK(*runs_to_find(0.6, 0.01, factor_of_sign_test) > *runs_to_find(0.6, 0.05, factor_of_sign_test));
}
