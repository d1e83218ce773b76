#pragma once
// The main job: one trace, placed on one machine, to its predicted run time.

#include <cstdint>
#include <limits>
#include <string_view>

#include "core/progress.hpp"
#include "netsim/machine_changes.hpp"
#include "netsim/replay_options.hpp"
#include "netsim/result.hpp"
#include "workloads/trace.hpp"

namespace toroid::netsim {

struct RunRequest {
  const Machine& machine;
  const workloads::Trace& trace;
  Mapping mapping;
  ReplayOptions options = {};
  EngineChoice engine = reference_engine;
  bool profile = false;  ///< whether to measure where real time goes
  /// Most windows in which link usage is measured, for peak utilisations (link_usage.hpp); 0: none.
  std::size_t windows = 0;
  MachineChanges changes = {};  ///< what happens to the machine meanwhile
  bool keep_windows = false;    ///< whether the result has what links carried in each of these windows
};

/// Throws InputError unless each rank of the trace has a compute node.
void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const Machine& machine);

/// What the request asks for that a sample of iterations cannot tell, in words; empty if there is nothing.
std::string_view untold_by_samples(const RunRequest& request);

/// Simulates one trace, in this process or in one of its own if the engine needs that. The bar, if any, counts the
/// operations. Throws SimulationError when the program deadlocks, InputError when the engine cannot be loaded or a
/// rank's node does not exist.
Result run(const RunRequest& request, core::Progress* bar = nullptr);

/// Simulates one trace as run() does, but in this process. If the engine needs a process of its own, this must be one
/// for this run alone, such as a worker.
Result run_in_process(const RunRequest& request);

/// A run whose price is told, for searches that may do so much and no more.
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
