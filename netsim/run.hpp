#pragma once
// The main job: one trace, placed on one machine, to its predicted run time.

#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/progress.hpp"
#include "netsim/network.hpp"
#include "netsim/replay_options.hpp"
#include "workloads/trace.hpp"

namespace toroid::netsim {

struct RunRequest {
  const Machine& machine;
  const workloads::Trace& trace;
  std::vector<NodeId> placement;  ///< the node of each rank
  ReplayOptions options = {};
  std::string engine = "simgrid";  ///< spec of the engine
  bool profile = false;            ///< add "profile": where real time went; differs from run to run
  std::size_t windows = 0;         ///< windows of link usage (link_usage.hpp): what peak utilisations are taken from
};

/// Runs in a process of its own and returns the result (result.hpp) with the engine's settings as
/// "engine_settings". Throws SimulationError when the program deadlocks, InputError when the engine spec is wrong or a
/// rank's node does not exist.
core::Json run(const RunRequest& request, core::Progress* bar = nullptr);

/// The same in this process, which must be one for this run alone (a worker's); counts the operations in `progress`.
core::Json run_in_process(const RunRequest& request, std::uint64_t& progress);

}  // namespace toroid::netsim
