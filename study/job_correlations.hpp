#pragma once
// How well the proxies by which allocations are judged tell how long jobs run, over the jobs of one schedule.

#include <map>
#include <string>
#include <vector>

#include "alloc/metrics.hpp"
#include "core/json.hpp"
#include "cosim/record.hpp"

namespace toroid::study {

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
