#pragma once
// What a user may ask of a run: estimates, limits, jobs that are too large or fail, nodes that fail.

#include <algorithm>
#include <cstdint>
#include <string>

#include "cosim/outages.hpp"
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

// Demands that change: a job's run as a sequence of phases of equal work time, in each of which it wants so many nodes.

/// How many phases the run of a job has.
inline std::int32_t phases(jobs::Demand demand, std::int32_t size) {
  if (demand == jobs::Demand::constant) return 1;
  return demand == jobs::Demand::pyramid ? 2 * size : size;
}

/// The number of nodes, 1 to `size`, that a job wants in a phase, which count from 0. It changes by one from phase to
/// phase (De Rose et al. 2007, 3.1).
inline std::int32_t demanded(jobs::Demand demand, std::int32_t size, std::int32_t phase) {
  switch (demand) {
    case jobs::Demand::constant:
      break;
    case jobs::Demand::increasing:
      return phase + 1;
    case jobs::Demand::decreasing:
      return size - phase;
    case jobs::Demand::pyramid:
      return std::min(phase + 1, 2 * size - phase);
  }
  return size;
}

/// The mean number of nodes that a job wants, over all phases.
inline double mean_demand(jobs::Demand demand, std::int32_t size) {
  return demand == jobs::Demand::constant ? size : (size + 1) / 2.0;
}

}  // namespace toroid::cosim
