// Means, their intervals by Student's t, and correlations: what takes values for normally distributed, or of ranks.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/distributions.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {
namespace {

/// Student's t of so large a share in the middle.
double student_t(double degrees_of_freedom, double confidence) {
  TOROID_ASSERT(degrees_of_freedom > 0 && confidence > 0 && confidence < 1);
  return core::student_quantile(degrees_of_freedom, (1 + confidence) / 2);
}

/// The squared standard error of the mean of a sample.
double squared_standard_error(std::span<const double> values) {
  const double deviation = standard_deviation(values);
  return deviation * deviation / static_cast<double>(values.size());
}

}  // namespace

std::optional<Interval> interval_of_mean(std::span<const double> values, double confidence) {
  if (values.size() < 2) return std::nullopt;
  const double half =
      student_t(static_cast<double>(values.size()) - 1, confidence) * std::sqrt(squared_standard_error(values));
  TOROID_ASSERT(half >= 0);
  return Interval{mean(values) - half, mean(values) + half};
}

std::optional<Interval> interval_of_difference(std::span<const double> a, std::span<const double> b,
                                               double confidence) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double of_a = squared_standard_error(a), of_b = squared_standard_error(b), difference = mean(a) - mean(b);
  if (of_a + of_b <= 0) return Interval{difference, difference};
  const double degrees =
      (of_a + of_b) * (of_a + of_b) /
      (of_a * of_a / static_cast<double>(a.size() - 1) + of_b * of_b / static_cast<double>(b.size() - 1));
  const double half = student_t(degrees, confidence) * std::sqrt(of_a + of_b);
  TOROID_ASSERT(half >= 0);
  return Interval{difference - half, difference + half};
}

std::optional<MeanOfSeries> mean_of_series(std::span<const double> series, double confidence) {
  const auto n = static_cast<double>(series.size());
  if (n < 2) return std::nullopt;
  const double center = mean(series), deviation = standard_deviation(series);
  if (deviation <= 0) return MeanOfSeries{n, center == 0 ? 1.0 : 0.0, {center, center}};
  double products = 0;
  for (std::size_t i = 1; i < series.size(); ++i) products += (series[i] - center) * (series[i - 1] - center);
  const double found = products / (deviation * deviation * (n - 1));
  const double r = std::clamp(found + (1 + 4 * found) / n, 0.0, 0.99);
  const double effective = n * (1 - r) / (1 + r);
  if (effective < 2) return std::nullopt;
  // Values that are alike lie nearer to their mean than to that of what they are drawn from.
  const double variance = deviation * deviation * (n - 1) / n / (1 - 1 / effective);
  const double error = std::sqrt(variance / effective);
  const double half = student_t(effective - 1, confidence) * error;
  TOROID_ASSERT(r >= 0 && effective <= n && error > 0);
  return MeanOfSeries{effective,
                      std::min(1.0, 2 * core::student_above(effective - 1, std::abs(center) / error)),
                      {center - half, center + half}};
}

std::optional<double> pearson(std::span<const double> x, std::span<const double> y) {
  TOROID_ASSERT(x.size() == y.size());
  if (x.size() < 3) return std::nullopt;
  const auto varies = [](std::span<const double> values) {
    const auto [low, high] = std::ranges::minmax_element(values);
    return !nearly_equal(*low, *high);
  };
  if (!varies(x) || !varies(y)) return std::nullopt;
  const double x_mean = mean(x), y_mean = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
  return pearson(mid_ranks(x), mid_ranks(y));
}

double mean(std::span<const double> values) {
  TOROID_ASSERT(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  TOROID_ASSERT(values.size() >= 2);
  const double center = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
}

double median(Sample values) {
  TOROID_ASSERT(!values.empty());
  std::ranges::sort(values);
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace toroid::study
