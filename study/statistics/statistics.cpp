#include "toroid/study/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/distributions.hpp"
#include "toroid/core/assert.hpp"

namespace toroid::study {

bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

namespace {

Sample joined(std::span<const double> a, std::span<const double> b) {
  Sample all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// Indices of the values, the smallest first.
std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Sum of t^3 - t over the groups of t equal values. They share a rank, so that it can be read off the ranks.
double tie_sum(std::vector<double> ranks) {
  std::ranges::sort(ranks);
  double sum = 0;
  for (auto first = ranks.begin(); first != ranks.end();) {
    const auto last = std::upper_bound(first, ranks.end(), *first);
    const auto t = static_cast<double>(last - first);
    sum += t * t * t - t;
    first = last;
  }
  return sum;
}

/// The share of all choices of `chosen` ranks whose sum is as far from its mean as `sum`, or farther. Twice a mid-rank
/// is a whole number, so the sums can be counted.
double exact_rank_sum(const std::vector<double>& ranks, std::size_t chosen, double sum) {
  std::vector<std::size_t> doubled;
  for (const double rank : ranks) doubled.push_back(static_cast<std::size_t>(std::lround(2 * rank)));
  const auto largest = std::accumulate(doubled.begin(), doubled.end(), std::size_t{0});
  // ways[k][s]: choices of k of the ranks seen so far that add up to s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(largest + 1));
  ways[0][0] = 1;
  for (const auto rank : doubled)
    for (std::size_t k = chosen; k >= 1; --k)
      for (std::size_t s = rank; s <= largest; ++s) ways[k][s] += ways[k - 1][s - rank];
  TOROID_ASSERT(chosen <= ranks.size());
  const double expected = static_cast<double>(chosen * largest) / static_cast<double>(ranks.size());
  const double distance = std::abs(2 * sum - expected);
  double far = 0, all = 0;
  for (std::size_t s = 0; s <= largest; ++s) {
    all += ways[chosen][s];
    if (std::abs(static_cast<double>(s) - expected) >= distance - 1e-6) far += ways[chosen][s];
  }
  TOROID_ASSERT(all > 0);
  return far / all;
}

double normal_rank_sum(const std::vector<double>& ranks, std::size_t chosen, double sum) {
  TOROID_ASSERT(chosen > 0 && chosen < ranks.size());
  const auto n = static_cast<double>(ranks.size());
  const auto k = static_cast<double>(chosen);
  const double variance = k * (n - k) / 12 * (n + 1 - tie_sum(ranks) / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double distance = std::max(0.0, std::abs(sum - k * (n + 1) / 2) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

/// The chances of each sum of some of the numbers, if each takes part or not by the throw of a coin.
std::vector<double> chances_of_sums(const std::vector<std::size_t>& numbers) {
  std::vector<double> chances{1};
  for (const auto number : numbers) {
    chances.resize(chances.size() + number);
    for (std::size_t s = chances.size(); s-- > 0;)
      chances[s] = (chances[s] + (s >= number ? chances[s - number] : 0)) / 2;
  }
  return chances;
}

/// The share of all signs of the ranks for which the sum of the positive ones is as far from its mean as `sum`, or
/// farther. Twice a mid-rank is a whole number, so the sums can be counted.
double exact_sign_sum(const std::vector<double>& ranks, double sum) {
  std::vector<std::size_t> doubled;
  for (const double rank : ranks) doubled.push_back(static_cast<std::size_t>(std::lround(2 * rank)));
  const auto chance = chances_of_sums(doubled);
  const double expected = static_cast<double>(chance.size() - 1) / 2, distance = std::abs(2 * sum - expected);
  double far = 0;
  for (std::size_t s = 0; s < chance.size(); ++s)
    if (std::abs(static_cast<double>(s) - expected) >= distance - 1e-6) far += chance[s];
  return std::min(1.0, far);
}

double normal_sign_sum(const std::vector<double>& ranks, double sum) {
  const auto n = static_cast<double>(ranks.size());
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - tie_sum(ranks) / 48;
  const double distance = std::max(0.0, std::abs(sum - n * (n + 1) / 4) - 0.5);
  return std::erfc(distance / std::sqrt(2 * variance));
}

/// The ranks of the differences of pairs without their signs, equal pairs left out.
struct SignedRanks {
  std::vector<double> ranks;
  double below = 0;  ///< sum of those of the pairs whose first is the lower one

  SignedRanks(std::span<const double> a, std::span<const double> b) {
    Sample sizes;
    std::vector<bool> is_below;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (nearly_equal(a[i], b[i])) continue;
      sizes.push_back(std::abs(a[i] - b[i]));
      is_below.push_back(a[i] < b[i]);
    }
    ranks = mid_ranks(sizes);
    for (std::size_t i = 0; i < ranks.size(); ++i) below += is_below[i] ? ranks[i] : 0;
  }
};

/// The values, or 2,000 of them from all over their order if there are more.
Sample thinned(std::span<const double> values) {
  constexpr std::size_t most = 2000;
  if (values.size() <= most) return Sample(values.begin(), values.end());
  Sample some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(values[i * values.size() / most]);
  return some;
}

/// The chances of each sum of `chosen` of the numbers 1 to `all`, less the least such sum, if all choices are equally
/// likely.
std::vector<double> chances_of_rank_sum(std::size_t chosen, std::size_t all) {
  const auto others = all - chosen;
  // The ways to choose, by how many are chosen, then by how many of the others are below them, summed up.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(chosen * others + 1));
  ways[0][0] = 1;
  for (std::size_t number = 1; number <= all; ++number)
    for (std::size_t k = std::min(chosen, number); k >= 1; --k)
      for (std::size_t sum = chosen * others + 1; sum-- > 0;) {
        const auto below = number - k;
        if (below <= others && sum >= below) ways[k][sum] += ways[k - 1][sum - below];
      }
  auto& chances = ways[chosen];
  const double sum = std::accumulate(chances.begin(), chances.end(), 0.0);
  TOROID_ASSERT(sum > 0);
  for (double& chance : chances) chance /= sum;
  return chances;
}

/// How many of the lowest values lie outside of an interval, and as many of the highest, if a statistic with these
/// chances counts the values below a border.
std::size_t outside(const std::vector<double>& chances, double confidence) {
  double sum = 0;
  std::size_t count = 0;
  while (count < chances.size() && (sum += chances[count]) <= (1 - confidence) / 2) ++count;
  return count;
}

std::size_t outside_normal(double expected, double variance, double confidence) {
  const double away = core::normal_quantile((1 + confidence) / 2) * std::sqrt(variance);
  return static_cast<std::size_t>(std::max(0.0, std::floor(expected - away + 0.5)));
}

/// The median of the values, between those of them that have `outside` values beyond.
Shift shift_of(Sample values, std::size_t outside) {
  std::ranges::sort(values);
  TOROID_ASSERT(2 * outside <= values.size() + 1);
  Shift shift{median(values), {}};
  if (outside > 0) shift.interval = Interval{values[outside - 1], values[values.size() - outside]};
  TOROID_ASSERT(!shift.interval || shift.interval->low <= shift.interval->high);
  return shift;
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> values) {
  const auto order = ascending(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    auto last = first + 1;
    while (last < order.size() && nearly_equal(values[order[last - 1]], values[order[last]])) ++last;
    for (auto i = first; i < last; ++i) ranks[order[i]] = static_cast<double>(first + 1 + last) / 2;
    first = last;
  }
  TOROID_ASSERT_HEAVY(std::abs(std::accumulate(ranks.begin(), ranks.end(), 0.0) -
                               static_cast<double>(ranks.size() * (ranks.size() + 1)) / 2) <
                      1e-6 * (1.0 + static_cast<double>(ranks.size() * ranks.size())));
  return ranks;
}

KruskalWallis kruskal_wallis(const std::vector<Sample>& samples) {
  TOROID_ASSERT(samples.size() >= 2 && std::ranges::none_of(samples, &Sample::empty));
  Sample all;
  for (const auto& sample : samples) all = joined(all, sample);
  const auto ranks = mid_ranks(all);
  const auto n = static_cast<double>(all.size());
  const double degrees = static_cast<double>(samples.size()) - 1;
  const double correction = 1 - tie_sum(ranks) / (n * n * n - n);
  if (correction <= 0) return {0, degrees, 1};
  double h = 0;
  auto rank = ranks.begin();
  for (const auto& sample : samples) {
    const auto end = rank + static_cast<std::ptrdiff_t>(sample.size());
    const auto size = static_cast<double>(sample.size());
    const double difference = std::accumulate(rank, end, 0.0) / size - (n + 1) / 2;
    h += size * difference * difference;
    rank = end;
  }
  h *= 12 / (n * (n + 1)) / correction;
  TOROID_ASSERT(h >= 0 && rank == ranks.end());
  return {h, degrees, core::chi_squared_above(degrees, h)};
}

double mann_whitney(const Sample& a, const Sample& b) {
  TOROID_ASSERT(!a.empty() && !b.empty());
  constexpr std::size_t most_exact = 40;
  const auto& smaller = a.size() <= b.size() ? a : b;
  const auto& larger = a.size() <= b.size() ? b : a;
  const auto ranks = mid_ranks(joined(smaller, larger));
  const double sum = std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(smaller.size()), 0.0);
  const double p = ranks.size() <= most_exact ? exact_rank_sum(ranks, smaller.size(), sum)
                                              : normal_rank_sum(ranks, smaller.size(), sum);
  TOROID_ASSERT(p >= 0 && p <= 1);
  return p;
}

double sign_test(const Sample& sample, double constant) {
  double below = 0, above = 0;
  for (const double value : sample)
    if (!nearly_equal(value, constant)) ++(value < constant ? below : above);
  if (below + above == 0) return 1;
  return std::min(1.0, 2 * core::coin_at_most(below + above, std::min(below, above)));
}

double signed_rank(std::span<const double> a, std::span<const double> b) {
  TOROID_ASSERT(a.size() == b.size());
  constexpr std::size_t most_exact = 200;
  const SignedRanks pairs(a, b);
  if (pairs.ranks.empty()) return 1;
  const double p = pairs.ranks.size() <= most_exact ? exact_sign_sum(pairs.ranks, pairs.below)
                                                    : normal_sign_sum(pairs.ranks, pairs.below);
  TOROID_ASSERT(p >= 0 && p <= 1);
  return p;
}

double paired_share_below(std::span<const double> a, std::span<const double> b) {
  TOROID_ASSERT(a.size() == b.size());
  const SignedRanks pairs(a, b);
  const double all = std::accumulate(pairs.ranks.begin(), pairs.ranks.end(), 0.0);
  return all > 0 ? pairs.below / all : 0.5;
}

double least_mann_whitney(std::size_t a, std::size_t b) {
  double share = 2;  // over all ways to deal the values out
  for (std::size_t i = 1; i <= std::min(a, b); ++i)
    share *= static_cast<double>(i) / static_cast<double>(std::max(a, b) + i);
  return std::min(1.0, share);
}

double least_sign_test(std::size_t n) {
  return std::min(1.0, std::ldexp(2.0, -static_cast<int>(n)));
}

Shift shift_of_samples(std::span<const double> all_a, std::span<const double> all_b, double confidence) {
  constexpr std::size_t most_exact = 40;
  const auto a = thinned(all_a), b = thinned(all_b);
  Sample apart;
  apart.reserve(a.size() * b.size());
  for (const double x : a)
    for (const double y : b) apart.push_back(x - y);
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return shift_of(std::move(apart), a.size() + b.size() <= most_exact
                                        ? outside(chances_of_rank_sum(a.size(), a.size() + b.size()), confidence)
                                        : outside_normal(n * m / 2, n * m * (n + m + 1) / 12, confidence));
}

Shift shift_of_pairs(std::span<const double> all_a, std::span<const double> all_b, double confidence) {
  constexpr std::size_t most_exact = 200;
  TOROID_ASSERT(all_a.size() == all_b.size() && !all_a.empty());
  const auto a = thinned(all_a), b = thinned(all_b);
  Sample means;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) means.push_back((a[i] - b[i] + a[j] - b[j]) / 2);
  const auto n = static_cast<double>(a.size());
  std::vector<std::size_t> ranks(a.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return shift_of(std::move(means), a.size() <= most_exact
                                        ? outside(chances_of_sums(ranks), confidence)
                                        : outside_normal(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24, confidence));
}

Shift shift_from_constant(std::span<const double> sample, double constant, double confidence) {
  TOROID_ASSERT(!sample.empty());
  Sample apart;
  for (const double value : sample) apart.push_back(value - constant);
  const auto size = static_cast<double>(apart.size());
  std::size_t outside = 0;
  while (core::coin_at_most(size, static_cast<double>(outside)) <= (1 - confidence) / 2) ++outside;
  return shift_of(std::move(apart), outside);
}

std::optional<double> runs_to_find(double share_below, double alpha, double factor) {
  TOROID_ASSERT(alpha > 0 && alpha < 1 && factor > 0);
  const double off = share_below - 0.5, quantiles = core::normal_quantile(1 - alpha / 2) + core::normal_quantile(0.8);
  return off == 0 ? std::nullopt : std::optional(quantiles * quantiles / (factor * off * off));
}

double share_below(std::span<const double> a, std::span<const double> b) {
  TOROID_ASSERT(!a.empty() && !b.empty());
  const auto ranks = mid_ranks(joined(a, b));
  const double sum = std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(a.size()), 0.0);
  const auto n = static_cast<double>(a.size());
  const double pairs_above = sum - n * (n + 1) / 2;  // Mann and Whitney's U
  return 1 - pairs_above / (n * static_cast<double>(b.size()));
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  auto left = static_cast<double>(p.size());
  double highest = 0;
  for (const auto i : ascending(p)) {
    TOROID_ASSERT(p[i] >= 0 && p[i] <= 1 + 1e-9);
    highest = std::max(highest, std::min(1.0, left-- * p[i]));
    adjusted[i] = highest;
    TOROID_ASSERT(adjusted[i] <= 1 && left >= 0);
  }
  return adjusted;
}

}  // namespace toroid::study
