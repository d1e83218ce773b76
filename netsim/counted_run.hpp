#pragma once
// Runs whose price is told, for searches that may do so much and no more.

#include <limits>

#include "netsim/run.hpp"

namespace toroid::netsim {

struct CountedRun {
  Result result;
  double work = 0;  ///< in units of CountsWork, the replay's part included
};

/// Simulates one trace as run() does, and counts what that costs: the same in every run. Where an engine does not count
/// (SimGrid), its messages are counted. Throws as run() does, and SimulationError as soon as an engine that counts
/// has done more than `most_work`.
CountedRun run_counted(const RunRequest& request, double most_work = std::numeric_limits<double>::infinity());

/// The least that the simulation of so many messages costs, in the same units.
double least_work(std::uint64_t messages);

}  // namespace toroid::netsim
