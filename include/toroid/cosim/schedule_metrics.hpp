#pragma once
// What a schedule comes to: its totals, and the metrics in which schedules are compared.

#include <span>

#include "toroid/core/json.hpp"

namespace toroid::core {
struct ObjectText;
}

namespace toroid::cosim {

struct Record;

/// A number that says something of a schedule. A field of totals_json() has its name and its value. Summaries of
/// sweeps, their tests and verdicts, tables and pictures have what stands in the one list of schedule_metrics().
struct ScheduleMetric {
  /// The sweeps in which a metric has a place: all, or those whose run times are logged, or simulated by a network.
  enum class Sweeps : std::uint8_t { none, all, logged, simulated };
  /// Where a metric stands among others.
  struct Place {
    Sweeps in = Sweeps::none;
    int position = 0;  ///< the lowest comes first
    bool is_in(bool simulated) const {
      return in == Sweeps::all || (in == Sweeps::simulated && simulated) || (in == Sweeps::logged && !simulated);
    }
  };

  std::string_view name;      ///< its field in JSON and its column in CSV: `mean_wait_s`
  std::string_view type;      ///< its unit or kind, as `toroid list fields` tells it: seconds, share, number
  std::string_view title;     ///< what tables and verdicts call it: `wait`
  std::string_view in_words;  ///< what axes of pictures call it: `mean wait`
  bool more_is_better;        ///< else less is
  /// The metric of whose mean a difference must be a hundredth to count. A wait weighs as much as it prolongs the
  /// response.
  std::string_view scale;
  /// Its place among the criteria of verdicts. Hops have none, as they do not tell how long jobs run. Where run times
  /// are simulated or modelled they have one, and the makespan takes the place of the utilization, as slow jobs use
  /// more of a machine.
  Place criterion;
  Place column;             ///< its place in the table of a sweep
  bool is_drawn;            ///< whether pictures of advice on a log show it
  std::string_view format;  ///< how tables print a number; times have the unit that suits them all, shares per cent
  /// What the metric is the mean of over the jobs that ran, from a job's record and the sum of the hops between all
  /// pairs of its nodes; null if it is no such mean.
  double (*of_job)(const Record& job, double pairwise_hops);
};

/// All metrics, in the order in which summaries have them.
std::span<const ScheduleMetric> schedule_metrics();
/// The metric of that name, which must be one of them.
const ScheduleMetric& schedule_metric(std::string_view name);
/// The metrics that have a place of this kind (ScheduleMetric::criterion or ScheduleMetric::column) in sweeps whose run
/// times are simulated, or logged, in the order of their positions.
std::vector<ScheduleMetric> placed_metrics(ScheduleMetric::Place ScheduleMetric::*place, bool simulated);

// A run in a few numbers: what its users wait for, and how well the machine is used. Memory does not grow with the
// jobs.

/// The totals of a run. Times are in seconds.
struct Totals {
  std::uint64_t jobs = 0, killed = 0, failed = 0, rejected = 0;
  std::uint64_t interrupted = 0;  ///< runs that the failure of a node ended; they are not counted in `jobs`
  std::uint64_t lost = 0;         ///< interrupted jobs that did not start again
  std::uint64_t node_failures = 0;
  std::uint64_t refused = 0;  ///< jobs that had to wait although enough nodes were free, as none of them suited
  double first_submission = 0, last_end = 0;
  double node_seconds = 0, demanded_seconds = 0;
  std::int32_t nodes = 0;  ///< compute nodes of the machine
  // Sums over jobs:
  double pairwise_hops = 0, mean_pairwise_hops = 0, components = 0, box = 0, surface = 0;
  std::uint64_t of_several = 0;  ///< jobs of more than one node; the others have no pairs
  double wait = 0, run_time = 0, response = 0, slowdown = 0;
  double longest_wait = 0;
  /// The number of jobs whose Work::slowdown is known; `contention` is its sum.
  std::uint64_t compared = 0;
  double contention = 0, worst_contention = 0;
  double logged = 0, alone = 0;  ///< sums over jobs: run times in the log, and alone on the same nodes
  double left_out = 0;           ///< the sum of Work::left_out
  bool of_work = false;          ///< whether the network decided the run time of any job

  double makespan() const { return last_end - first_submission; }
  /// The mean over all jobs, or over those of several nodes, of what has this sum.
  double per_job(double sum) const { return mean(sum, jobs); }
  double per_job_of_several(double sum) const { return mean(sum, of_several); }
  /// How many times as long jobs run as alone on their nodes, on average; nothing if that is not known of any.
  std::optional<double> mean_slowdown() const {
    return compared > 0 ? std::optional(mean(contention, compared)) : std::nullopt;
  }
  /// The share of the node-seconds between the first submission and the last end that jobs demanded, or, for
  /// allocated(), had.
  double utilization() const { return share(demanded_seconds); }
  double allocated() const { return share(node_seconds); }

 private:
  static double mean(double sum, std::uint64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }
  double share(double seconds) const { return makespan() > 0 && nodes > 0 ? seconds / (makespan() * nodes) : 0; }
};

/// The bounded slowdown of a job: its response time divided by its run time, at least 1. Run times below ten seconds
/// count as ten, so that short jobs do not dominate the mean (Feitelson and Rudolph 1998).
double bounded_slowdown(const Record& record);
/// What to know beside a bounded slowdown: where most jobs are short it hides what they wait.
inline constexpr std::string_view bound_of_slowdown = "runs below 10 s count as 10 s";

core::Json totals_json(const Totals& totals);
core::ObjectText totals_text();

/// The objects of the document of a schedule, `schedule` first.
std::vector<core::ObjectText> schedule_objects();

}  // namespace toroid::cosim
