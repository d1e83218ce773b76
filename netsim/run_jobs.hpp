#pragma once
// Several placed jobs on one machine at once: how long each takes, what it would take alone, and who slows whom.

#include <optional>
#include <span>
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

/// A job that runs its trace `rounds` times. Each round begins in the instant in which the one before it has ended.
struct PlacedJob {
  std::string name;
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

struct JobsRequest {
  const Machine& machine;
  std::vector<PlacedJob> jobs;  ///< jobs, of which no two have a node in common
  EngineChoice engine = reference_engine;
  std::size_t windows = 0;  ///< see RunRequest
  OnFailedJob on_failure = OnFailedJob::stop;
  std::vector<Kill> kills = {};
  MachineChanges changes = {};  ///< what happens to the machine meanwhile
  /// Whether the network is watched for what jobs lose to each other, which takes a third of the time.
  bool with_charges = true;
  /// Keeps JobResult::last_round and JobsResult::link_windows, which takes about 200 bytes of memory for each message.
  /// Links must be measured (`windows`).
  bool keep_causes = false;
  std::size_t activity_windows = 0;  ///< keeps JobResult::activity in so many windows at most; 0: not
};

/// How a job ended: done, killed or failed as a replay, or with the other jobs, if it was to run until their end.
enum class JobOutcome : std::uint8_t { done, killed, failed, with_others };

struct JobResult : SentMessages {  ///< the result of a job, with the messages that it sent
  JobOutcome how = JobOutcome::done;
  std::string complaint;  ///< why it failed; empty if it did not
  double start = 0;       ///< when it began, or should have begun, in seconds
  double end = 0;
  std::uint64_t repeated = 0;   ///< of its messages: those in iterations that were passed over
  std::vector<double> rounds;   ///< run times of the rounds that were done, in seconds
  std::optional<double> alone;  ///< seconds that a round takes with the machine to itself
  History critical_path;        ///< sums over the rounds that were done
  /// The seconds that the done rounds lost to each job, as charged (replay/charges.hpp), and to changes of the machine.
  std::vector<double> charges;
  double changes = 0;
  core::IdVector<workloads::Rank, RankReport> ranks;  ///< reports of the last round
  /// The last round that was done, if it was asked for (JobsRequest::keep_causes): with its critical steps, and with
  /// obstacles that are messages of any job.
  std::optional<ReplayReport> last_round = {};
  /// What its ranks did in all its rounds, if it was asked for (JobsRequest::activity_windows). Times are since the
  /// start of the run, and the windows are those of all jobs.
  Activity activity = {};

  /// The run time of all rounds that were done, in seconds.
  double total() const;
  /// The mean run time of a round in seconds; nothing if no round was done.
  std::optional<double> runtime() const;
  /// The mean run time of a round divided by that alone; nothing where one of them is missing or 0.
  std::optional<double> slowdown() const;
  /// How many seconds longer its rounds took than alone; nothing where that is not known.
  std::optional<double> lost() const;
};

/// Lost seconds by the job that lost them, then by the job that it lost them to.
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
  LinkWindows link_windows = {};  ///< if they were asked for (JobsRequest::keep_causes)

  /// The last round of a job that has one (JobResult::last_round) as a result of its own. Links carried what they did
  /// for all jobs in the whole run; times of steps and obstacles are since the start of that run.
  Result last_round(std::size_t job) const;

  /// Whether it is known which job lost how much time to which one.
  bool is_attributed() const { return shapley || why_not_shared.empty(); }
  /// Where that is known: the seconds that the rounds of a job lost to each job; nothing for itself by Shapley values.
  std::vector<std::optional<double>> losses(std::size_t victim) const;
  /// Where that is known: the seconds that a job lost besides what others and changes of the machine are charged with;
  /// nothing where its time alone is not known.
  std::optional<double> uncharged(std::size_t victim) const;
  /// What a link carried for each job that it carried anything for.
  std::span<const JobLoad> loads_of(LinkId link) const;
};

/// Runs all jobs together, in this process or in one of its own if the engine needs that. Throws what run() throws;
/// SimulationError, which names the job, as soon as a job fails, unless the others are to go on; InputError if no job
/// ends by itself, or if a job that takes no time is to run until the others have ended.
JobsResult run_together(const JobsRequest& request, core::Progress* bar = nullptr);

/// The seconds that one round of a job takes alone on the machine, as it is before all changes.
double run_alone(const JobsRequest& request, std::size_t job, core::Progress* bar = nullptr);

}  // namespace toroid::netsim
