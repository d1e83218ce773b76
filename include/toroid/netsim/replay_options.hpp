#pragma once
// How a trace is replayed: what computations take, how messages travel, what collectives are made of.
//
//   netsim::ReplayTexts{.compute = "none", .eager = "16KiB"}.options()  // as users write them

#include "toroid/platforms/description.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::netsim {

using platforms::Order;

/// Reads `pair`, `node` or `shared`. Throws InputError on another text.
Order parse_order(std::string_view text);

/// What is done about iterations that repeat earlier ones: they are passed over where they do so exactly; or all are
/// simulated; or, where they do not repeat exactly, a sample of them is simulated.
enum class Repeats : std::uint8_t { exact, off, sample };

/// What a user says of repeats: ReplayOptions::repeats and sampling_width.
struct RepeatsChoice {
  Repeats how = Repeats::exact;
  double width = 0.01;
};
/// Reads `exact`, `off`, `sample` or `sample:W%` with 0.01 <= W <= 50. Throws InputError on another text.
RepeatsChoice parse_repeats(std::string_view text);

/// What happens when a job's program cannot go on: the run stops with an error, or the job ends as failed and the
/// others go on.
enum class OnFailedJob : std::uint8_t { stop, go_on };

struct ReplayOptions {
  /// Computation takes its time by the trace and the machine (computation_use.hpp), times this; 0: processors of
  /// infinite speed. If not set, 1 where a run was measured, and 0 where the trace's computations are a model's.
  std::optional<double> compute_scale = {};
  /// Messages up to this size travel as soon as they are sent and their sender goes on at once (eager); longer ones
  /// travel once the receive is posted and their sender waits for their end (rendezvous). If not set, the machine's.
  std::optional<std::uint64_t> eager_threshold = {};
  /// Bytes that every message carries besides its own, collectives' included (SMPI: 16).
  std::uint64_t envelope = 0;
  /// Which messages travel one after another; if not set, as the machine's nodes send.
  std::optional<Order> order = {};
  workloads::CollectiveChoice collectives = {};
  /// Whether iterations that begin in the same state as earlier ones are passed over, and told as if they had been
  /// simulated: on a network that can tell its state (Network::tells_state()), and of several jobs where all that run
  /// have this option and come back to a common state.
  /// With `sample` iterations are sampled where they do not repeat exactly (repeats/sampling_plan.hpp); what is told of
  /// those that are left out is an estimate (SampledIterations). For a job that has the network to itself, and without
  /// what tells single messages or instants.
  Repeats repeats = Repeats::exact;
  /// Half of the 95 % interval of the run time, as a share of it, that a sample is to reach.
  double sampling_width = 0.01;
  /// Keeps what caused what, for ReplayReport::critical_steps.
  bool log_causes = false;
  /// Keeps, with `log_causes`, all messages, for ReplayReport::messages_sent.
  bool keep_messages = false;
  /// Keeps what ranks did in so many windows at most, for ReplayReport::activity; 0: not.
  std::size_t activity_windows = 0;
  /// Keeps all calls, waits and messages, for ReplayReport::timeline.
  bool keep_timeline = false;
  /// A function that is told now and then, if it is set, how many operations have begun: for progress bars.
  std::function<void(std::uint64_t operations)> progress = {};
};

/// Reads what a user says of computation, `default`, `none`, `trace`, or `xF` with a factor F >= 0: a scale of nothing,
/// 0, 1, F. Throws InputError.
std::optional<double> parse_compute(std::string_view text);

// The options of a replay as users write them.

struct ReplayTexts {
  std::string compute = "default";      ///< see parse_compute()
  std::string eager = {};               ///< bytes; empty: the machine's `eager`
  std::string envelope = "0";           ///< bytes
  std::string collectives = "default";  ///< see CollectiveChoice::parse()
  std::string order = {};               ///< see parse_order(); empty: the machine's `sending`
  std::string repeats = "exact";        ///< see parse_repeats()

  /// The options that the texts say. Throws InputError on values that are not valid.
  ReplayOptions options() const;
};

}  // namespace toroid::netsim
