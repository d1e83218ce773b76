#pragma once
// What a run makes of the computations of its trace: whether they count, how long they take, and, where they are left
// out, what that hides.

#include "toroid/netsim/replay_options.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {
struct RankComputation;
}

namespace toroid::netsim {

/// The options' scale, or the default for this trace.
double compute_scale(const ReplayOptions& options, const workloads::Trace& trace);

/// How much of an amount a core of the machine computes in a second. What was timed takes as long on any core.
double computed_per_second(const workloads::Trace& trace, const platforms::Machine& machine);

/// The computations of a trace on a machine. Seconds are at scale 1, sleep included.
struct ComputationUse {
  workloads::Computation kind = workloads::Computation::modelled;
  double scale = 0;                            ///< the factor of computation in the run
  std::optional<double> core_speed = {};       ///< per second; none: timed, so that it takes as long on any core
  double busiest_rank_s = 0, all_ranks_s = 0;  ///< seconds of the rank that computes longest, and of all
  platforms::NodeParameters node = {};         ///< the machine's efficiency, peak and memory

  /// Whether a run time is that of the communication alone, although ranks compute.
  bool is_left_out() const { return scale == 0 && all_ranks_s > 0; }
  /// Bytes of memory that each core of a node has; 0: nobody says.
  double memory_of_core() const { return node.memory / node.cores; }
  /// The most that mappings can save of the run time with computation, as a share, if communication alone takes so
  /// many seconds: all of them. With computation a run takes at most those seconds more than it would take without
  /// communication, and that is not below what the busiest rank computes.
  double gain_at_most(double communication_s) const;
};

ComputationUse computation_use(const workloads::Trace& trace,
                               const core::IdVector<workloads::Rank, workloads::RankComputation>& by_rank,
                               const platforms::Machine& machine, const ReplayOptions& options);

/// How fast a run trains a model.
struct TrainingRate {
  double tokens_per_second = 0;
  /// Model FLOPs utilisation: the operations that the model takes over those that the cores of all ranks could have
  /// done in the time at their published peak, whatever the speed they are given. A. Chowdhery and others, PaLM (2022),
  /// appendix B.
  double mfu = 0;
};

/// The rate of a run of so many ranks and seconds; nothing if its time is that of the communication alone.
std::optional<TrainingRate> training_rate(const workloads::TrainingWork& work, const ComputationUse& use,
                                          std::int32_t ranks, double runtime_s);

}  // namespace toroid::netsim
