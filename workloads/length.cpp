#include "workloads/length.hpp"

#include <algorithm>

#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {

double about_length(const Trace& trace) {
  if (const auto known = trace.operation_count(); known > 0) return static_cast<double>(known);
  const auto* generated = dynamic_cast<const GeneratedTrace*>(&trace);
  if (generated == nullptr || trace.ranks() == 0) return 0;
  // A rank in the middle has the usual number of neighbours.
  const Rank rank(trace.ranks() / 2);
  const auto iterations = generated->iteration_steps();
  const auto loop = generated->loop();
  const auto steps = iterations.end > 0 ? iterations.end : loop.end;
  constexpr std::uint64_t a_few = 16, enough_operations = 1U << 16U;
  std::vector<Operation> operations;
  std::uint64_t step = 0, count = 0;
  const auto end = steps == 0
                       ? enough_operations
                       : std::min(steps, iterations.end > 0 ? iterations.first + a_few : loop.first + loop.period);
  for (; step < end && count < enough_operations; ++step, count += operations.size()) {
    operations.clear();
    if (!generated->step(rank, step, operations)) break;
  }
  const double per_step = static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(1, step));
  return per_step * static_cast<double>(std::max(step, steps)) * trace.ranks();
}

}  // namespace toroid::workloads
