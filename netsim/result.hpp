#pragma once
// What a finished run says.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netsim/network.hpp"
#include "netsim/replay_report.hpp"

namespace toroid::netsim {

using platforms::LinkId;

/// What a link carried in a run.
struct LinkResult : LinkLoad {
  platforms::LinkId link = 0;
  double mean_utilization = 0;  ///< bytes divided by what it could have carried in the run time
};

/// What links carried, window by window; the windows begin with the run.
struct LinkWindows {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  std::vector<float> bytes;  ///< by position in Result::links, then by window
};

/// What links have to carry, in a few numbers. A link is one of the grid; the injection and ejection links of nodes,
/// where the machine limits them, are ports.
struct LinkLoads {
  std::uint64_t max_bytes = 0, sum_bytes = 0, links = 0;  ///< of the links that carry anything, and how many these are
  std::uint64_t max_port_bytes = 0;
  double max_seconds = 0;  ///< most that a link or port needs for its bytes at full speed: no run can be shorter

  /// Adds what a link carries, in so many seconds at full speed.
  void add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes, double seconds);
  /// Adds what a link carries at its bandwidth.
  void add(const platforms::Machine& machine, platforms::LinkId link, std::uint64_t bytes) {
    add(machine, link, bytes, static_cast<double>(bytes) / machine.link_bandwidth(link));
  }
  double mean_bytes() const { return share(static_cast<double>(sum_bytes), static_cast<double>(links)); }
};

/// The result of a job that had the network to itself: its times, its messages, and the loads of links.
struct Result : ReplayReport {
  std::vector<LinkResult> links;             ///< links that carried anything, in the order of their numbers
  LinkLoads loads;                           ///< what these carried
  std::optional<double> utilization_window;  ///< seconds, see LinkUsage; none: no peak utilisation was measured
  std::vector<std::pair<std::string, std::string>> engine_settings;
  std::optional<Profile> profile;
  LinkWindows link_windows;  ///< if they were asked for (RunRequest::keep_windows)

  std::vector<LinkResult> bottlenecks() const;  ///< the busiest links, see busiest()
};

/// The up to ten links with the highest utilisation, the busiest first; equal ones by number.
std::vector<LinkResult> busiest(const std::vector<LinkResult>& links);

/// The links that carried anything in a run from `start` on that took `seconds`, in the order of their numbers.
std::vector<LinkResult> links_of(const Network& network, const Time& start, double seconds);

/// What these links carried in each window of a run that began at 0 and lasted until `end`. There must be windows.
LinkWindows windows_of(const Network& network, const std::vector<LinkResult>& links, const Time& end);

/// The result of a replay that has ended, from its report and from the network under it; with what links carried in
/// each window, if `keep_windows`.
Result make_result(const Network& network, ReplayReport report, bool keep_windows = false);

// --- several jobs ---

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
  /// What jobs' rounds lost to each other by Shapley values, if that was asked for (shapley_losses()).
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

// --- for another process ---

/// The result, a Result or a JobsResult, as bytes for another process of the same program, which the other reads back.
template <class AResult>
std::string packed(const AResult& result);
template <class AResult>
AResult unpacked(std::string_view bytes);

}  // namespace toroid::netsim
