#pragma once
// How well the proxies by which allocations are judged tell how long jobs run, over the jobs of one schedule.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "alloc/metrics.hpp"
#include "core/json.hpp"
#include "cosim/record.hpp"

namespace toroid::study {

/// Keeps some numbers of each job that has ended, if the network decided its run time and it is known how long it would
/// have taken alone.
class JobCorrelations final : public cosim::Observer {
 public:
  explicit JobCorrelations(const cosim::Machine& machine) : measure_(machine) {}
  void ended(const cosim::Record& record) override;

  /// For all jobs, and for the jobs of each program of which there are enough, a line for each proxy: its correlations
  /// with `slowdown`, what the neighbours cost, and with `stretch`, the run time over the shortest of the program
  /// alone, which is what nodes and neighbours cost together. Values and ranks; null where either does not vary.
  core::Json json() const;

 private:
  struct Job {
    std::array<double, 6> proxies;
    double slowdown, run_time;
    std::string const* program;
  };
  core::Json lines(const std::vector<Job>& jobs) const;

  alloc::Measure measure_;
  std::vector<Job> jobs_;
  std::map<std::string, double> shortest_;  ///< run time alone, by program
};

}  // namespace toroid::study
