#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {

GeneratedTrace::Loop IteratedTrace::loop() const {
  const auto [first, last] = same_iterations();
  if (first > last) return {};
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last) + 1, 1};
}

bool IteratedTrace::step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const {
  Script script(out, computation_);
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
