#include "toroid/netsim/computation_use.hpp"

#include "toroid/netsim/results/replay_report.hpp"
#include "workloads/amounts.hpp"

namespace toroid::netsim {

using workloads::Computation;

double compute_scale(const ReplayOptions& options, const workloads::Trace& trace) {
  return options.compute_scale.value_or(trace.computation() == Computation::modelled ? 0 : 1);
}

double computed_per_second(const workloads::Trace& trace, const platforms::Machine& machine) {
  return trace.computation() == Computation::timed ? 1e9 : machine.parameters().reached_speed();
}

double ComputationUse::gain_at_most(double communication_s) const {
  return share(communication_s, communication_s + busiest_rank_s);
}

ComputationUse computation_use(const workloads::Trace& trace,
                               const core::IdVector<workloads::Rank, workloads::RankComputation>& by_rank,
                               const platforms::Machine& machine, const ReplayOptions& options) {
  ComputationUse use{trace.computation(), compute_scale(options, trace)};
  use.node = machine.parameters();
  const double per_second = computed_per_second(trace, machine);
  if (use.kind != Computation::timed) use.core_speed = per_second;
  for (const auto& rank : by_rank) {
    // Sums that take their time byte by byte belong to messages, as replays have it.
    const double computed = rank.amount - (use.node.reduce > 0 ? rank.in_sums : 0);
    // The roofline of the sums: a rank takes longer if only some of its operations are bound by memory.
    const double seconds = std::max(computed / per_second, rank.touched / use.node.memory_bandwidth) + rank.slept_s;
    use.busiest_rank_s = std::max(use.busiest_rank_s, seconds);
    use.all_ranks_s += seconds;
  }
  return use;
}

std::optional<TrainingRate> training_rate(const workloads::TrainingWork& work, const ComputationUse& use,
                                          std::int32_t ranks, double runtime_s) {
  if (use.scale == 0 || !use.core_speed || runtime_s <= 0) return std::nullopt;
  return TrainingRate{work.tokens / runtime_s, work.flops / (runtime_s * ranks * use.node.peak_speed())};
}

}  // namespace toroid::netsim
