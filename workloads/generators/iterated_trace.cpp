#include "workloads/generators/iterated_trace.hpp"

#include <numbers>

#include "core/random.hpp"

namespace toroid::workloads {
namespace {

/// Log-normally distributed, so never below 0, with a mean of 1.
double drawn_factor(core::Random& random, double variance) {
  const double of_logarithm = std::log1p(variance);
  // G. Box, M. Muller, A note on the generation of random normal deviates, 1958.
  const double radius = std::sqrt(-2 * std::log(1 - random.unit())), angle = 2 * std::numbers::pi * random.unit();
  return std::exp(std::sqrt(of_logarithm) * radius * std::cos(angle) - of_logarithm / 2);
}

}  // namespace

Scatter scatter(const core::Arguments& arguments) {
  return {arguments[imbalance], arguments[noise], arguments[jitter]};
}

std::vector<double> rank_factors(std::int32_t ranks, double deviation) {
  std::vector<double> factors;
  if (deviation == 0) return factors;
  core::Random random(1, "imbalance of computation");
  for (std::int32_t rank = 0; rank < ranks; ++rank) factors.push_back(drawn_factor(random, deviation * deviation));
  return factors;
}

constexpr double most_variance = 1e300;  ///< over the square of the mean; an infinite one would make no number

void let_scatter(std::span<Operation> operations, const Scatter& scatter, Rank rank, std::uint64_t step) {
  const double jitter_square = scatter.jitter * scatter.jitter;
  core::Random random(1, fmt::format("noise of rank {} in step {}", rank.value(), step));
  const auto jittered = [&](core::Random& by) { return drawn_factor(by, jitter_square); };
  const auto jitter_between = [&](std::uint64_t next) {  // the step before and that one
    core::Random between(1, fmt::format("jitter of rank {} from step {} on", rank.value(), next));
    return jittered(between);
  };
  const auto computes = [](const Operation& op) { return op.kind == OpKind::compute; };
  for (auto begin = operations.begin(); begin != operations.end();) {
    begin = std::find_if(begin, operations.end(), computes);
    const auto end = std::find_if_not(begin, operations.end(), computes);
    if (begin == end) return;
    double flops = 0;
    for (auto op = begin; op != end; ++op) flops += op->amount;
    const double variance = std::min(scatter.noise / flops / (1 + jitter_square), most_variance);
    double factor = drawn_factor(random, variance);
    if (scatter.jitter > 0)
      factor *= begin == operations.begin() ? jitter_between(step)
                : end == operations.end()   ? jitter_between(step + 1)
                                            : jittered(random);
    for (; begin != end; ++begin) begin->amount *= factor;
  }
}

IteratedTrace::IteratedTrace(const core::Arguments& arguments, std::int32_t ranks, std::int32_t iterations, double unit,
                             const Scatter& scatter, const std::string& remark)
    : GeneratedTrace(arguments, ranks, remark),
      iterations_(iterations),
      unit_(unit),
      scatter_(scatter),
      factors_(rank_factors(ranks, scatter.imbalance)) {}

GeneratedTrace::Loop IteratedTrace::loop() const {
  const auto [first, last] = same_iterations();
  if (first > last) return {};
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last) + 1, 1, !scatter_.changes_with_time()};
}

bool IteratedTrace::step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const {
  const auto last = static_cast<std::uint64_t>(iterations_) + 1;
  if (step > last) return false;
  const auto before = out.size();
  Script script(out, factors_.empty() ? unit_ : unit_ * factors_[rank.index()]);
  if (step == 0)
    begin(rank, script);
  else if (step < last)
    iterate(rank, static_cast<std::int32_t>(step), script);
  else
    finish(rank, script);
  if (scatter_.changes_with_time()) let_scatter(std::span(out).subspan(before), scatter_, rank, step);
  return true;
}

}  // namespace toroid::workloads
