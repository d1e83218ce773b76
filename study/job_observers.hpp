#pragma once
// What studies keep of the jobs of one schedule: segments of jobs, and how well proxies tell their run times.

#include <unordered_map>

#include "alloc/metrics.hpp"
#include "cosim/record.hpp"
#include "toroid/study/sweep.hpp"

namespace toroid::study {

class SegmentRecorder final : public cosim::Observer {
 public:
  /// Segments have as many jobs each, or, if they are `by_day`, as many days of the log.
  SegmentRecorder(const cosim::Machine& machine, const jobs::Jobs& jobs, bool by_day);
  void submitted(const jobs::Job& job, cosim::JobId id, const cosim::Time& now) override;
  void ended(const cosim::Record& record) override;
  const JobSegments& segments() const { return segments_; }

 private:
  std::size_t day_of(double submitted) const;
  std::size_t segment_of(const jobs::Job& job);

  alloc::Measure measure_;
  std::size_t jobs_, seen_ = 0;
  std::optional<double> midnight_;  ///< the first one, in seconds since the beginning of the log, if days are segments
  std::size_t days_ = 0;
  std::unordered_map<cosim::JobId, std::size_t> segment_of_;  ///< segments of the jobs that have not ended
  std::optional<std::size_t> again_;  ///< segment of a job that a failing node ended and that is submitted next
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
  /// The objects of that document, `slowdown correlations` first.
  static std::vector<core::ObjectText> objects();

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
