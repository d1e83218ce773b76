#pragma once
// What a finished run of one job or of several says.

#include "toroid/netsim/engine.hpp"
#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

using platforms::LinkId;

/// How busy a link was.
struct LinkLoad {
  std::uint64_t bytes = 0;
  std::uint64_t flows = 0;
  std::uint32_t peak_flows = 0;  ///< most flows at one time
  double busy = 0;               ///< seconds with at least one flow
  double peak_utilization = 0;   ///< most in any window (Run::windows); 0 without windows
};

/// What a link carried in a run.
struct LinkResult : LinkLoad {
  platforms::LinkId link = 0;
  double mean_utilization = 0;  ///< bytes divided by what it could have carried in the run time
};

/// What links carried, window by window; the windows begin with the run.
struct LinkWindows {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  std::vector<float> bytes;  ///< bytes by position in Result::links, then by window
};

/// What links have to carry, in a few numbers. A link is one of the grid; the injection and ejection links of nodes,
/// where the machine limits them, are ports.
struct LinkLoads {
  std::uint64_t max_bytes = 0, sum_bytes = 0, links = 0;  ///< sums over the links that carry anything, and their number
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

/// The up to ten links with the highest utilisation, the busiest first; equal ones by number.
std::vector<LinkResult> busiest(const std::vector<LinkResult>& links);

// --- what became of a job ---

/// How a job ended: done, killed or failed as a replay, or with the other jobs, if it was to run until their end.
enum class JobOutcome : std::uint8_t { done, killed, failed, with_others };

/// What became of a job, with the messages that all its rounds sent. What its ranks did is in Result.
struct JobResult : SentMessages {
  JobOutcome how = JobOutcome::done;
  std::string complaint;  ///< why it failed; empty if it did not
  double start = 0;       ///< when the job began, or should have begun, in seconds
  double end = 0;
  std::uint64_t repeated = 0;     ///< messages in iterations that were passed over
  std::vector<double> rounds;     ///< run times of the rounds that were done, in seconds
  std::optional<double> alone;    ///< seconds that a round takes with the machine to itself
  History critical_path;          ///< sums over the rounds that were done
  workloads::Rank first_rank{0};  ///< the first of its ranks in Result::ranks
  std::size_t rank_count = 0;     ///< number of its ranks
  /// The seconds that the done rounds lost to each job, as charged (replay/charges.hpp), and to changes of the machine.
  std::vector<double> charges;
  double changes = 0;
  /// The last round that was done, if causes were logged (ReplayOptions::log_causes) and the job had neighbours or more
  /// rounds: with its critical steps, and with obstacles that are messages of any job.
  std::optional<ReplayReport> last_round = {};

  /// The run time of all rounds that were done, in seconds.
  double total() const;
  /// The mean run time of a round in seconds; nothing if no round was done.
  std::optional<double> runtime() const;
  /// The mean run time of a round divided by that alone; nothing where one of them is missing or 0.
  std::optional<double> slowdown() const;
  /// How many seconds longer its rounds took than alone; nothing where that is not known.
  std::optional<double> lost() const;
};

/// What a link carried for a job.
struct JobLoad {
  LinkId link;
  std::uint32_t job;
  std::uint64_t bytes;
};

// --- what became of a run ---

/// What became of a run: of each job, of all ranks, and of the links.
///
/// The report is that of all ranks, which are numbered on from job to job: a job that began with the run and had one
/// round, alone, has its own report here. Of others it has the messages of all rounds, what ranks reported last, what
/// they did in the whole run, and the critical steps, obstacles and classes of messages of the last round of each job
/// that has one (JobResult::last_round). All its times but those of ranks are seconds since the start of the run.
struct Result : ReplayReport {
  std::vector<JobResult> jobs;               ///< results of the jobs, in the order of Run::jobs
  std::vector<LinkResult> links;             ///< links that carried anything, in the order of their numbers
  LinkLoads loads;                           ///< what these links carried, in a few numbers
  std::vector<JobLoad> job_loads;            ///< what links carried for each job: by link, then by job
  std::optional<double> utilization_window;  ///< seconds, see LinkUsage; none: no peak utilisation was measured
  LinkWindows link_windows;                  ///< windows of links, if they were asked for (Run::keep_windows)
  std::string why_not_shared;                ///< why there are no job loads and no charges; empty if there are
  std::vector<std::pair<std::string, std::string>> engine_settings;

  std::vector<LinkResult> bottlenecks() const { return busiest(links); }

  /// What the ranks of a job reported last.
  std::span<const RankReport> ranks_of(std::size_t job) const;
  /// The job of a rank.
  std::uint32_t job_of(workloads::Rank rank) const;
  /// The report of the last round of a job that was done, if causes were logged; null where there is none.
  const ReplayReport* last_report(std::size_t job) const;
  /// That report as a result of its own. Links carried what they did for all jobs in the whole run; times of steps and
  /// obstacles are since the start of that run.
  Result last_round(std::size_t job) const;

  /// Whether it is known which job lost how much time to which one.
  bool is_attributed() const { return why_not_shared.empty(); }
  /// Where that is known: the seconds that a job lost besides what others and changes of the machine are charged with;
  /// nothing where its time alone is not known.
  std::optional<double> uncharged(std::size_t victim) const;
  /// What a link carried for each job that it carried anything for.
  std::span<const JobLoad> loads_of(LinkId link) const;
};

/// Adds to the result of a run that has ended what links carried: in each window, too, if `keep_windows`.
void tell_links(const Network& network, bool keep_windows, Result& result);

// --- for another process ---

/// The result as bytes for another process of the same program, which the other reads back.
std::string packed(const Result& result);
Result unpacked(std::string_view bytes);

}  // namespace toroid::netsim
