#pragma once
// What studies keep of the jobs of one schedule: segments of jobs, and how well proxies tell their run times.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/metrics.hpp"
#include "core/json.hpp"
#include "cosim/record.hpp"
#include "cosim/schedule_metrics.hpp"
#include "study/statistics/statistics.hpp"

namespace toroid::study {

/// The jobs of one run in segments, each so many that were submitted one after the other: what is needed to compare two
/// runs of the same jobs (difference_by_job), in some hundred numbers, however many jobs there are.
struct JobSegments {
  static constexpr std::size_t most = 32;

  std::vector<std::size_t> jobs;  ///< by segment, the number of jobs that ran
  /// For each of cosim::schedule_metrics() that is a mean over jobs, by its name: by segment, the sum over these jobs.
  std::map<std::string, Sample, std::less<>> sums;

  /// The sums of a metric that is a mean over jobs.
  const Sample& sums_of(const cosim::ScheduleMetric& metric) const { return sums.find(metric.name)->second; }
  core::Json json() const;
  static JobSegments of(const core::Json& json);
};

class SegmentRecorder final : public cosim::Observer {
 public:
  /// `jobs` is the number of jobs in the stream.
  SegmentRecorder(const cosim::Machine& machine, std::size_t jobs);
  void submitted(const jobs::Job& job, cosim::JobId id, const cosim::Time& now) override;
  void ended(const cosim::Record& record) override;
  const JobSegments& segments() const { return segments_; }

 private:
  alloc::Measure measure_;
  std::size_t jobs_, seen_ = 0;
  std::unordered_map<cosim::JobId, std::size_t> positions_;  ///< positions in the stream of jobs that have not ended
  std::optional<std::size_t> again_;  ///< position of a job that a failing node ended and that is submitted next
  JobSegments segments_;
};

/// How well the proxies by which allocations are judged tell how long jobs run.
///
/// Collects the proxies and run times of jobs that have ended, if the network decided their run times and it is known
/// how long they would have taken alone.
class JobCorrelations final : public cosim::Observer {
 public:
  explicit JobCorrelations(const cosim::Machine& machine) : measure_(machine) {}
  void ended(const cosim::Record& record) override;

  /// A row for each proxy over all jobs, and over the jobs of each program that has enough of them. It has the proxy's
  /// correlations, of values and of ranks, with `slowdown`, which neighbours cause, and with `stretch`, which nodes and
  /// neighbours cause: the run time divided by the program's shortest run time alone. A correlation is null if either
  /// side does not vary.
  core::Json json() const;

 private:
  struct Job {
    std::vector<double> proxies;
    double slowdown, run_time;
    std::string const* program;
  };
  core::Json lines(const std::vector<Job>& jobs) const;

  alloc::Measure measure_;
  std::vector<Job> jobs_;
  std::map<std::string, double> shortest_;  ///< shortest run time alone, by program
};

}  // namespace toroid::study
