#include "workloads/generators/iterated_trace.hpp"

#include <cmath>
#include <numbers>

#include "core/quantities.hpp"
#include "core/random.hpp"

namespace toroid::workloads {
namespace {

/// A factor for each rank, log-normally distributed, so that none is below 0: the mean is 1, the standard deviation
/// about `deviation`.
std::vector<double> factors(std::int32_t ranks, double deviation) {
  std::vector<double> all;
  core::Random random(1, "imbalance of computation");
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    // G. Box, M. Muller, A note on the generation of random normal deviates, 1958.
    const double radius = std::sqrt(-2 * std::log(1 - random.unit())), angle = 2 * std::numbers::pi * random.unit();
    all.push_back(std::exp(deviation * radius * std::cos(angle) - deviation * deviation / 2));
  }
  return all;
}

}  // namespace

const core::Parameter<double>& imbalance() {
  static const core::Parameter<double> key{
      "imbalance", "by how much ranks with the same work differ in what they compute: standard deviation over mean",
      core::real(0, 1), "0"};
  return key;
}

IteratedTrace::IteratedTrace(std::string name, std::int32_t ranks, std::int32_t iterations, double unit,
                             double imbalance)
    : GeneratedTrace(std::move(name), ranks), iterations_(iterations), unit_(unit) {
  if (imbalance > 0) factors_ = factors(ranks, imbalance);
}

GeneratedTrace::Loop IteratedTrace::loop() const {
  const auto [first, last] = same_iterations();
  if (first > last) return {};
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last) + 1, 1};
}

bool IteratedTrace::step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const {
  Script script(out, factors_.empty() ? unit_ : unit_ * factors_[rank.index()]);
  const auto last = static_cast<std::uint64_t>(iterations_) + 1;
  if (step > last) return false;
  if (step == 0)
    begin(rank, script);
  else if (step < last)
    iterate(rank, static_cast<std::int32_t>(step), script);
  else
    finish(rank, script);
  return true;
}

}  // namespace toroid::workloads
