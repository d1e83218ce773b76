#pragma once
// The main job: one trace, placed on one machine, to its predicted run time.

#include <string>
#include <vector>

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
  std::size_t windows =
      0;  ///< most windows in which link usage is measured, for peak utilisations (link_usage.hpp); 0: none
  MachineChanges changes = {};  ///< what happens to the machine meanwhile
  bool keep_windows = false;    ///< whether the result has what links carried in each of these windows
};

/// Throws InputError unless each rank of the trace has a compute node.
void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const Machine& machine);

/// Simulates one trace, in this process or in one of its own if the engine needs that. The bar, if any, counts the
/// operations. Throws SimulationError when the program deadlocks, InputError when the engine cannot be loaded or a
/// rank's node does not exist.
Result run(const RunRequest& request, core::Progress* bar = nullptr);

/// Simulates one trace as run() does, but in this process. If the engine needs a process of its own, this must be one
/// for this run alone, such as a worker.
Result run_in_process(const RunRequest& request);

}  // namespace toroid::netsim
