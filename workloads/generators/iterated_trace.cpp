#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {

IteratedTrace::IteratedTrace(std::string name, std::int32_t ranks, std::int32_t iterations, double unit,
                             const Scatter& scatter)
    : GeneratedTrace(std::move(name), ranks),
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
