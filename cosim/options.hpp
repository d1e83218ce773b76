#pragma once
// What a user may ask of a run: estimates, limits, jobs that are too large or fail, nodes that fail.

#include <cstdint>
#include <string>

#include "cosim/node_failures.hpp"
#include "jobs/jobs.hpp"
#include "netsim/simulation.hpp"

namespace toroid::cosim {

struct Options {
  /// Where the estimate of a job's run time comes from: the log (twice the run time where it has none), the run time
  /// itself, or the run time times a factor. It is never less than the run time, unless jobs are killed.
  enum class Estimates { logged, exact, factor } estimates = Estimates::logged;
  double factor = 1;
  bool kill = false;  ///< whether jobs are killed at the end of their estimate
  /// What happens when a job can never fit: the run fails, or goes on without the job.
  enum class TooLarge { fail, reject } too_large = TooLarge::fail;
  /// Whether jobs whose demand changes get the nodes that they want at the time, and run slower while they do not get
  /// them. If not, they have their largest demand from start to end.
  bool dynamic = false;
  netsim::OnFailedJob failed_job = netsim::OnFailedJob::stop;
  /// How nodes fail, whether a job runs on them or not.
  NodeFailureOptions failures = {};
};

/// Reads where estimates come from into `options`: `log`, `exact` or a factor such as `x2`. Throws InputError.
void read_estimates(const std::string& text, Options& options);

/// The run time of a job that its scheduler expects.
netsim::Time estimate(const jobs::Job& job, const Options& options);

/// The nodes that a job wants when it starts.
std::int32_t first_demand(const jobs::Job& job, const Options& options);

}  // namespace toroid::cosim
