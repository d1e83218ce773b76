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
  std::string engine = "simgrid";  ///< spec of the engine
  bool profile = false;            ///< measure where real time goes
  std::size_t windows = 0;         ///< of link usage (link_usage.hpp): what peak utilisations are taken from; 0: none
  MachineChanges changes = {};     ///< what happens to the machine meanwhile
};

/// Throws InputError unless each rank of the trace has a node that computes.
void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const Machine& machine);

/// Runs here, or in a process of its own if the engine needs one. The bar, if any, counts the operations. Throws
/// SimulationError when the program deadlocks, InputError when the engine spec is wrong or a rank's node does not
/// exist.
Result run(const RunRequest& request, core::Progress* bar = nullptr);

/// The same in this process, which must be one for this run alone (a worker's) if the engine needs that.
Result run_in_process(const RunRequest& request);

}  // namespace toroid::netsim
