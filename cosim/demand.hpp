#pragma once
// Demands that change: a job's run as a sequence of phases of equal work time, in each of which it wants so many nodes.

#include <algorithm>
#include <cstdint>

#include "jobs/jobs.hpp"

namespace toroid::cosim {

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
