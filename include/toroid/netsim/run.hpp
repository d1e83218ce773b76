#pragma once
// Runs of placed traces on a machine: of one job that has the machine to itself, or of several at once; how long each
// takes, who slows whom, and what happens to the machine meanwhile.
//
//   const auto result = netsim::run({machine, *trace, mapping, {}, "fluid"});
//   result.runtime  // seconds

#include "toroid/netsim/replay_options.hpp"
#include "toroid/netsim/result.hpp"

namespace toroid::core {
class Progress;
}

namespace toroid::netsim {

// What happens to a machine while jobs run on it: links fail, bandwidths and latencies change.

/// A change of the machine: from `time` on, in seconds, it is another one with the same nodes, routers and links.
struct MachineChange {
  double time;
  const Machine* machine;
};

/// Changes in the order of their times, and what happens to messages on links that fail.
struct MachineChanges {
  std::vector<MachineChange> changes = {};
  OnLinkFailure on_link_failure = OnLinkFailure::reroute;
};

/// The names of the engines that can change their machine.
std::vector<std::string> engines_that_change();

/// Throws InputError when there are changes, and the engine cannot change its machine.
void check_engine_for(const MachineChanges& changes, const EngineChoice& engine);

/// Rounds of a job that goes on until all others have ended.
inline constexpr std::uint32_t until_end = 0;

/// A job that runs its trace `rounds` times. Each round begins in the instant in which the one before it has ended.
struct PlacedJob {
  std::string name;  ///< what errors call it; empty for a job that nobody takes for another one
  const workloads::Trace& trace;
  Mapping mapping;
  ReplayOptions options = {};
  double start = 0;  ///< seconds
  std::uint32_t rounds = 1;
};

/// An order to end a job at a time, if it has not ended by then.
struct Kill {
  double time;  ///< seconds
  std::size_t job;
};

/// A run: one job or several on a machine.
struct Run {
  /// A job that has the machine to itself; nobody charges it with anything.
  Run(const Machine& on, const workloads::Trace& trace, Mapping mapping, ReplayOptions options = {},
      EngineChoice by = reference_engine, std::size_t windows_of_links = 0)
      : machine(on),
        jobs{{{}, trace, std::move(mapping), std::move(options)}},
        engine(std::move(by)),
        windows(windows_of_links) {}
  /// Jobs, of which no two have a node in common.
  Run(const Machine& on, std::vector<PlacedJob> placed, EngineChoice by = reference_engine,
      std::size_t windows_of_links = 0)
      : machine(on), jobs(std::move(placed)), engine(std::move(by)), windows(windows_of_links), with_charges(true) {}

  const Machine& machine;
  std::vector<PlacedJob> jobs;
  EngineChoice engine;
  /// Most windows in which link usage is measured, for peak utilisations (link_usage.hpp); 0: none.
  std::size_t windows;
  bool keep_windows = false;    ///< whether the result has what links carried in each of these windows
  MachineChanges changes = {};  ///< what happens to the machine meanwhile
  OnFailedJob on_failure = OnFailedJob::stop;
  std::vector<Kill> kills = {};
  /// Whether the network is watched for what jobs lose to each other, which takes a third of the time.
  bool with_charges = false;

  /// The only job of a run that has no other: samples of iterations, and whatever takes one trace, are for such a run.
  const PlacedJob& job() const {
    TOROID_ASSERT(jobs.size() == 1);
    return jobs.front();
  }
  PlacedJob& job() { return const_cast<PlacedJob&>(std::as_const(*this).job()); }
};

/// What the run of one job asks for that a sample of iterations cannot tell, in words; empty if there is nothing.
std::string_view untold_by_samples(const Run& run);

/// Simulates a run, in this process or in one of its own if the engine needs that. The bar, if any, counts the
/// operations of all jobs that end by themselves. Throws SimulationError, which names the job if that has a name, as
/// soon as a job fails, unless the others are to go on. Throws InputError when the engine cannot be loaded, a rank's
/// node does not exist or is another job's, no job ends by itself, or a job that takes no time is to run until the
/// others have ended.
///
///   const auto result = netsim::run({machine, trace, mapping});
///   const auto both = netsim::run({machine, {{"a", trace, on_some}, {"b", other, on_others}}, "fluid"});
Result run(const Run& run, core::Progress* bar = nullptr);

/// Simulates a run as run() does, but in this process. If the engine needs a process of its own, this must be one for
/// this run alone, such as a worker.
Result run_in_process(const Run& run);

/// The seconds that one round of a job takes alone on the machine, as it is before all changes.
double run_alone(const Run& run, std::size_t job, core::Progress* bar = nullptr);

/// A run whose price is told, for searches that may do so much and no more.
struct CountedRun {
  Result result;
  double work = 0;  ///< work in units of CountsWork, that of the replays included
};

/// Simulates a run as run() does, and counts what that costs: the same each time. Where an engine does not count
/// (SimGrid), its messages are counted. Throws as run() does, and SimulationError as soon as an engine that counts
/// has done more than `most_work`.
CountedRun run_counted(const Run& run, double most_work = std::numeric_limits<double>::infinity());

/// The least that the simulation of so many messages costs, in the same units.
double least_work(std::uint64_t messages);

// What a user who waits for a simulation may like to hear of.

/// The engine that solves the model of the chosen one faster; empty if there is none.
std::string_view faster_engine(const EngineChoice& engine);

/// A sentence for each way in which this run of one job, which took so many seconds, would have taken less time: a
/// faster engine; or, if there is none, a sample of iterations where none repeats another. None if the run took 10 s or
/// less.
std::vector<std::string> faster_ways(const Run& run, const Result& result, double seconds);

}  // namespace toroid::netsim
