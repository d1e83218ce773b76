#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {

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
