#pragma once
// Advice for those who run a machine: with which allocator, and which scheduler, the jobs of a log would have answers
// soonest, if they exchange what is assumed of them.

#include "study/trade_offs.hpp"

namespace toroid::study {

/// What jobs are assumed to exchange, as logs do not say it: rules of cosim::Programs; several for the same jobs have
/// the same weight unless they say another.
struct AssumedExchange {
  std::string name;
  std::vector<std::string> rules;
};
/// The exchanges that have a name: `stencil`, in the box of the job's size; `all-to-all`; `both`, one or the other by
/// lot.
const std::vector<AssumedExchange>& assumed_exchanges();

struct LogQuestions {
  std::vector<AssumedExchange> exchanges{assumed_exchanges().back()};
  /// The shares of run times in which jobs communicate (ProgramOptions::communication).
  std::vector<double> shares{0.1, 0.3, 0.5};
  /// Whether some weeks may stand for a log of months where all would take longer than a minute (log_sample.hpp).
  bool may_sample = false;
};

/// What an allocator costs the jobs of a log under an assumption: means over jobs and draws.
struct AllocatorCosts {
  std::size_t allocator = 0;  ///< its number in the sweep
  double own = 0;             ///< time alone on its nodes beyond the log's run time, as a share of that
  double neighbours = 0;      ///< what neighbours add, as a share of the same
  double wait = 0, response = 0, slowdown = 0;  ///< seconds; the slowdown is bounded
  double shape = 0;                             ///< share of the jobs that waited although enough nodes were free
  double hops = 0;                              ///< hops of a pair of nodes of a job, which are no run time
  /// Seconds from the last submission to the last end, if these are more than a twentieth of the log and twice its
  /// longest job: the queue is long at the end, so that means depend on where the log ends. Else 0.
  double behind = 0;
  std::string error = {};  ///< why nothing is known; empty otherwise
};

/// How much more an allocator has than the least, as a share of that: of the means over draws, or in a typical stretch.
struct More {
  double share = 0;
  std::optional<Interval> interval = {};
  bool is_shown() const { return interval && interval->low > 0; }
};

/// How allocators stand in a metric: by their numbers, none of those that failed.
struct Standing {
  std::string_view metric;      ///< name in cosim::schedule_metrics()
  std::size_t least = 0;        ///< the one with the lowest mean over draws, or of logarithms over stretches
  std::size_t lowest_mean = 0;  ///< the one with the lowest mean over draws, whatever stretches say
  std::vector<std::optional<More>> over_least;
};

/// All allocators with the first scheduler, under one assumption.
struct AssumedRuns {
  std::size_t exchange = 0;
  double share = 0;
  JudgedSweep judged;
  std::vector<AllocatorCosts> costs;
  std::array<Standing, 2> standings;  ///< response, then slowdown: what verdicts are given on
};

struct LogAdvice {
  LogQuestions questions;            ///< shares in rising order
  std::size_t every = 1;             ///< weeks with jobs of which the first was judged
  std::vector<AssumedRuns> assumed;  ///< runs by exchange, then share
  /// Whether intervals are over stretches of the log, each with the mean of all draws; else they are over draws. Logs
  /// of two months and more have stretches, if each has some jobs, the same ones under all allocators.
  bool over_stretches = false;
  std::size_t chosen = 0;  ///< the allocator with which schedulers are compared
  JudgedSweep schedulers;  ///< all schedulers, if several, under the assumption in the middle

  /// The share in the middle, with the last exchange.
  const AssumedRuns& middle() const { return assumed[assumed.size() - (questions.shares.size() + 1) / 2]; }
  const SweepSpec& spec() const { return assumed.front().judged.sweep->spec(); }
  /// The allocators that no assumption shows to have more than the least, in a metric by its number in the standings.
  std::vector<std::size_t> never_more(std::size_t standing) const;
};

/// Whether the jobs of a log were submitted over two months and more.
bool has_months(const jobs::JobSummary& log);

/// Judges the allocators and the schedulers of `spec`, which has one machine and one log, by runs in so many worker
/// processes whose run times are modelled (cosim/run_times/modelled.hpp). The advice does not depend on their number.
/// Intervals of a standing hold together. Throws InputError as Sweep does and on a share that is there twice,
/// SimulationError where no allocator can run the log.
LogAdvice advise(const SweepSpec& spec, const LogQuestions& questions, std::size_t workers);

/// What is said of an assumption: `both, 30 % communication`.
std::string assumption_text(const LogAdvice& advice, const AssumedRuns& runs);
/// The verdict in words: a line for each metric, and for each metric under each assumption.
std::vector<std::pair<std::string, std::string>> verdict_lines(const LogAdvice& advice);

/// The advice as JSON (docs/reference/results.md).
core::Json log_advice_json(const LogAdvice& advice);
/// The objects of that document, `log advice` first, but for those of sweeps.
std::vector<core::ObjectText> log_advice_objects();

}  // namespace toroid::study
