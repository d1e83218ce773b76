#include "toroid/study/statistics/contest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "toroid/core/assert.hpp"

namespace toroid::study {
namespace {

/// The differences of pairs; what differs by rounding does not.
Sample differences(const Sample& one, const Sample& other) {
  Sample all;
  for (std::size_t i = 0; i < one.size(); ++i) all.push_back(nearly_equal(one[i], other[i]) ? 0 : one[i] - other[i]);
  return all;
}

/// The share of the values of which `is_equal` holds.
template <class IsEqual>
double share_of_equal(const Sample& values, const IsEqual& is_equal) {
  return static_cast<double>(std::ranges::count_if(values, is_equal)) / static_cast<double>(values.size());
}

/// Whether the figures of a difference go together.
bool is_whole(const Difference& d) {
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  return is_share(d.p) && is_share(d.equal_share) && d.share_below >= -1e-9 && d.share_below <= 1 + 1e-9 &&
         (!d.interval || (d.interval->low <= d.mean && d.mean <= d.interval->high)) &&
         (d.pairs == 0 || !d.paired_by.empty());
}

Difference of_pairs(const Sample& one, const Sample& other, double confidence) {
  TOROID_ASSERT(one.size() == other.size() && !one.empty());
  const auto apart = differences(one, other);
  return {.test = signed_rank_name,
          .paired_by = "seed",
          .pairs = one.size(),
          .effective_pairs = static_cast<double>(one.size()),
          .equal_share = share_of_equal(apart, [](double difference) { return difference == 0; }),
          .p = signed_rank(one, other),
          .share_below = paired_share_below(one, other),
          .mean = mean(apart),
          .interval = interval_of_mean(apart, confidence)};
}

/// The values of both in the repetitions that both have.
std::pair<Sample, Sample> pairs_of(const Runs& one, const Runs& other) {
  std::pair<Sample, Sample> pairs;
  for (const auto* runs : {&one, &other}) {
    TOROID_ASSERT(runs->repetitions.empty() || runs->repetitions.size() == runs->values.size());
    TOROID_ASSERT_HEAVY(std::ranges::is_sorted(runs->repetitions));
  }
  for (std::size_t i = 0; i < one.repetitions.size(); ++i) {
    const auto same = std::lower_bound(other.repetitions.begin(), other.repetitions.end(), one.repetitions[i]);
    if (same == other.repetitions.end() || *same != one.repetitions[i]) continue;
    pairs.first.push_back(one.values[i]);
    pairs.second.push_back(other.values[static_cast<std::size_t>(same - other.repetitions.begin())]);
  }
  return pairs;
}

Difference from_constant(const Runs& sample, double constant, double confidence) {
  auto interval = interval_of_mean(sample.values, confidence);
  if (interval) interval = Interval{interval->low - constant, interval->high - constant};
  return {.test = sign_name,
          .equal_share = share_of_equal(sample.values, [&](double value) { return nearly_equal(value, constant); }),
          .p = sign_test(sample.values, constant),
          .share_below = share_below(sample.values, Sample{constant}),
          .mean = mean(sample.values) - constant,
          .interval = interval};
}

/// Each two that follow each other become one.
template <class Value>
void join_neighbours(std::vector<Value>& values) {
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
  values.resize(values.size() / 2);
}

void divide(Sample& sums, const std::vector<std::size_t>& counts) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= static_cast<double>(std::max<std::size_t>(counts[i], 1));
}

/// The logarithms of the values, nearly equal ones alike, so that they are ties there, too.
std::map<double, double> logarithms_of(Sample values) {
  std::ranges::sort(values);
  std::map<double, double> logarithms;
  double first = values.front();
  for (const double value : values) {
    if (!nearly_equal(value, first)) first = value;
    logarithms[value] = std::log(first);
  }
  return logarithms;
}

/// Estimates the shift between what the test compared.
Shift shift_between(const Runs& one, const Runs& other, const Difference& difference, double confidence) {
  if (difference.test.empty()) return Shift{one.values[0] - other.values[0], {}};
  if (difference.test == mann_whitney_name) return shift_of_samples(one.values, other.values, confidence);
  if (difference.test == signed_rank_name) {
    const auto [a, b] = pairs_of(one, other);
    return shift_of_pairs(a, b, confidence);
  }
  if (other.constant) return shift_from_constant(one.values, other.values[0], confidence);
  auto shift = shift_from_constant(other.values, one.values[0], confidence);
  shift.value = -shift.value;
  if (auto& interval = shift.interval) interval = Interval{-interval->high, -interval->low};
  return shift;
}

}  // namespace

void correct_for_number(const std::vector<Difference*>& differences) {
  Sample p;
  for (const auto* difference : differences)
    if (!difference->test.empty()) p.push_back(difference->p);
  const auto corrected = holm(p);
  auto next = corrected.begin();
  for (auto* difference : differences)
    if (!difference->test.empty()) {
      difference->p_holm = *next++;
      difference->tests = p.size();
      TOROID_ASSERT(difference->p <= difference->p_holm && difference->p_holm <= 1);
    }
}

Difference reversed(Difference difference) {
  difference.share_below = 1 - difference.share_below;
  difference.mean = -difference.mean;
  if (auto& interval = difference.interval) interval = Interval{-interval->high, -interval->low};
  TOROID_ASSERT(is_whole(difference));
  return difference;
}

Difference difference_of(const Runs& one, const Runs& other, bool same_lots, double confidence) {
  TOROID_ASSERT(!one.values.empty() && !other.values.empty() && confidence > 0 && confidence < 1);
  if (one.constant && other.constant)
    return {.share_below = share_below(one.values, other.values), .mean = one.values[0] - other.values[0]};
  // All runs of a constant give the same value.
  TOROID_ASSERT_HEAVY(!one.constant ||
                      std::ranges::all_of(one.values, [&](double v) { return nearly_equal(v, one.values[0]); }));
  if (other.constant) return from_constant(one, other.values[0], confidence);
  if (one.constant) return reversed(from_constant(other, one.values[0], confidence));
  if (same_lots)
    if (const auto [a, b] = pairs_of(one, other); !a.empty()) return of_pairs(a, b, confidence);
  return {.test = mann_whitney_name,
          .p = mann_whitney(one.values, other.values),
          .share_below = share_below(one.values, other.values),
          .mean = mean(one.values) - mean(other.values),
          .interval = interval_of_difference(one.values, other.values, confidence)};
}

std::optional<Shift> ratio_of(const Runs& one, const Runs& other, const Difference& difference, double confidence) {
  if (difference.paired_by == "job") return std::nullopt;
  auto all = one.values;
  all.insert(all.end(), other.values.begin(), other.values.end());
  if (*std::ranges::min_element(all) <= 0) return std::nullopt;
  const auto logarithms = logarithms_of(all);
  auto a = one, b = other;
  for (auto* runs : {&a, &b})
    for (double& value : runs->values) value = logarithms.at(value);
  auto ratio = shift_between(a, b, difference, confidence);
  ratio.value = std::exp(ratio.value);
  if (auto& interval = ratio.interval) interval = Interval{std::exp(interval->low), std::exp(interval->high)};
  TOROID_ASSERT(ratio.value > 0 && (!ratio.interval || ratio.interval->low <= ratio.interval->high));
  return ratio;
}

std::optional<double> runs_to_show(const Difference& difference, double alpha) {
  const double unequal_share = 1 - difference.equal_share, off = difference.share_below - 0.5;
  if (unequal_share <= 0) return std::nullopt;
  std::optional<double> runs;
  if (difference.test == mann_whitney_name) runs = runs_to_find(difference.share_below, alpha, factor_of_mann_whitney);
  if (difference.test == signed_rank_name) runs = runs_to_find(difference.share_below, alpha, factor_of_signed_rank);
  // Equal runs count half in the share below a constant, and not at all in that of pairs.
  if (difference.test == sign_name) runs = runs_to_find(0.5 + off / unequal_share, alpha, factor_of_sign_test);
  TOROID_ASSERT(!runs || *runs > 0);
  return runs ? std::optional(*runs / unequal_share) : std::nullopt;
}

double least_p(std::string_view test, std::size_t runs, std::size_t other_runs) {
  TOROID_ASSERT(runs > 0 && other_runs > 0);
  return test == mann_whitney_name ? least_mann_whitney(runs, other_runs) : least_sign_test(std::max(runs, other_runs));
}

Difference difference_by_job(Sample one, Sample other, std::vector<std::size_t> jobs, double confidence) {
  constexpr std::size_t fewest_jobs = 4, fewest_segments = 8;
  TOROID_ASSERT(one.size() == jobs.size() && other.size() == jobs.size() && !jobs.empty());
  // A log of fewer days than there are segments has none at the end.
  for (; jobs.size() > 1 && jobs.back() == 0; jobs.pop_back()) {
    one.pop_back();
    other.pop_back();
  }
  while (jobs.size() > 1 && *std::ranges::min_element(jobs) < fewest_jobs) {
    join_neighbours(one);
    join_neighbours(other);
    join_neighbours(jobs);
  }
  divide(one, jobs);
  divide(other, jobs);
  const auto apart = differences(one, other);
  Difference difference{.paired_by = "job", .mean = mean(apart)};
  const auto tested = jobs.size() < fewest_segments ? std::nullopt : mean_of_series(apart, confidence);
  if (!tested) return difference;
  difference.test = series_name;
  difference.pairs = jobs.size();
  difference.effective_pairs = tested->effective;
  difference.p = tested->p;
  difference.share_below = paired_share_below(one, other);
  difference.interval = tested->interval;
  TOROID_ASSERT(is_whole(difference) && difference.effective_pairs <= static_cast<double>(difference.pairs));
  return difference;
}

}  // namespace toroid::study
