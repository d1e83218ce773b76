#pragma once
// Several placed jobs on one machine at once: how long each takes, what it would take alone, and who slows whom.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/progress.hpp"
#include "netsim/machine_changes.hpp"
#include "netsim/replay_options.hpp"
#include "netsim/result.hpp"
#include "netsim/simulation.hpp"
#include "workloads/trace.hpp"

namespace toroid::netsim {

/// Rounds of a job that goes on until all others have ended.
inline constexpr std::uint32_t until_end = 0;

/// A job that runs its trace so many times, each round from the instant in which the one before it has ended.
struct PlacedJob {
  std::string name;
  const workloads::Trace& trace;
  Mapping mapping;
  ReplayOptions options = {};
  double start = 0;  ///< seconds
  std::uint32_t rounds = 1;
};

/// Somebody ends a job at a time, if it has not ended by then.
struct Kill {
  double time;  ///< seconds
  std::size_t job;
};

struct JobsRequest {
  const Machine& machine;
  std::vector<PlacedJob> jobs;  ///< on nodes of which none has two jobs
  std::string engine = "simgrid";
  std::size_t windows = 0;  ///< see RunRequest
  Simulation::OnFailure on_failure = Simulation::OnFailure::stop;
  std::vector<Kill> kills = {};
  MachineChanges changes = {};  ///< what happens to the machine meanwhile
};

/// How a job came to its end: as a replay does, or with the others, if it was to run until then.
enum class JobEnd : std::uint8_t { done, killed, failed, with_others };

struct JobResult : Traffic {  ///< all that it sent
  JobEnd how = JobEnd::done;
  std::string complaint;  ///< if it failed
  double start = 0;       ///< seconds; so late if it has never begun
  double end = 0;
  std::vector<double> rounds;   ///< run times of those that were done
  std::optional<double> alone;  ///< seconds that a round takes with the machine to itself
  History critical_path;        ///< sums over the rounds that were done
  /// What these rounds lost: to each job, as it is charged (replay/charges.hpp), and to changes of the machine.
  std::vector<double> charges;
  double changes = 0;
  core::IdVector<workloads::Rank, RankReport> ranks;  ///< of the last round

  /// Mean run time of a round; nothing if none was done.
  std::optional<double> runtime() const;
  /// That over the time alone; nothing where one of them is missing or 0.
  std::optional<double> slowdown() const;
  /// Seconds that its rounds took longer than alone; nothing where that is not known.
  std::optional<double> lost() const;
};

/// Seconds by victim, then by aggressor.
using LossTable = std::vector<std::vector<double>>;

using platforms::LinkId;

/// What a link carried for a job.
struct JobLoad {
  LinkId link;
  std::uint32_t job;
  std::uint64_t bytes;
};

struct JobsResult {
  double runtime = 0;  ///< seconds from 0 to the end of the last job
  std::vector<JobResult> jobs;
  std::vector<LinkResult> links;   ///< as in Result, of all jobs together
  std::vector<JobLoad> job_loads;  ///< by link, then by job
  /// What jobs' rounds lost to each other by Shapley values, if that was asked for (shapley.hpp).
  std::optional<LossTable> shapley;
  /// Why there are no job loads and no charges; empty if there are.
  std::string why_not_shared;
  std::optional<double> utilization_window;
  std::vector<std::pair<std::string, std::string>> engine_settings;
};

/// Runs all jobs together, here, or in a process of its own if the engine needs one. Throws what run() throws, and as
/// soon as a job fails a SimulationError that names it, unless the others go on; InputError if no job ends by itself,
/// or if one is to run until the others have ended that takes no time.
JobsResult run_together(const JobsRequest& request, core::Progress* bar = nullptr);

/// Seconds of one round of a job that has the machine to itself, as it is at first.
double run_alone(const JobsRequest& request, std::size_t job, core::Progress* bar = nullptr);

}  // namespace toroid::netsim
