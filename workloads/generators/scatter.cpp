#include "workloads/generators/scatter.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/quantities.hpp"

namespace toroid::workloads {
namespace {

/// Log-normally distributed, so never below 0, with a mean of 1; `deviation` is the standard deviation of the
/// logarithm.
double drawn_factor(core::Random& random, double deviation) {
  // G. Box, M. Muller, A note on the generation of random normal deviates, 1958.
  const double radius = std::sqrt(-2 * std::log(1 - random.unit())), angle = 2 * std::numbers::pi * random.unit();
  return std::exp(deviation * radius * std::cos(angle) - deviation * deviation / 2);
}

/// Flops, which no work is counted in: of a type of its own, as keys of the type flops() say what a program computes.
core::Type<double> variance_over_mean() {
  return {"a variance over a mean, in flops such as 1kf", core::flops().parse};
}

}  // namespace

const core::Parameter<double>& imbalance() {
  static const core::Parameter<double> key{
      "imbalance", "by how much ranks with the same work differ in what they compute: standard deviation over mean",
      core::real(0, 100), "0"};
  return key;
}

const core::Parameter<double>& noise() {
  static const core::Parameter<double> key{
      "noise", "variance over mean of a computation from one time to the next, as by interruptions",
      variance_over_mean(), "0f"};
  return key;
}

const core::Parameter<double>& jitter() {
  static const core::Parameter<double> key{
      "jitter", "beside noise, standard deviation over mean of a computation from one time to the next",
      core::real(0, 100), "0"};
  return key;
}

Scatter scatter(const core::Arguments& arguments) {
  return {arguments[imbalance()], arguments[noise()], arguments[jitter()]};
}

std::vector<double> rank_factors(std::int32_t ranks, double imbalance) {
  std::vector<double> factors;
  if (imbalance == 0) return factors;
  core::Random random(1, "imbalance of computation");
  for (std::int32_t rank = 0; rank < ranks; ++rank) factors.push_back(drawn_factor(random, imbalance));
  return factors;
}

Noise::Noise(const Scatter& scatter, Rank rank, std::uint64_t step)
    : noise_(scatter.noise),
      jitter_(scatter.jitter),
      random_(1, fmt::format("noise of rank {} in step {}", rank.value(), step)) {}

double Noise::drawn(double flops) {
  return flops * drawn_factor(random_, std::sqrt(std::log1p(noise_ / flops + jitter_ * jitter_)));
}

}  // namespace toroid::workloads
