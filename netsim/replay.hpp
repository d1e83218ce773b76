#pragma once
// The replay of one placed trace on a network, which any number of replays may share.

#include <functional>
#include <memory>
#include <vector>

#include "netsim/network.hpp"
#include "netsim/replay_options.hpp"
#include "netsim/replay_report.hpp"
#include "workloads/trace.hpp"

namespace toroid::netsim {

class Replay {
 public:
  /// `placement`: the node of each rank. `ended` is called when the last rank finishes. Trace and network must outlive
  /// the replay, and the replay what it has on the network: it may go when it has finished and check_complete() has
  /// found nothing, or when it was killed; not within `ended`.
  Replay(const workloads::Trace& trace, std::vector<NodeId> placement, Network& network, ReplayOptions options,
         std::function<void()> ended = {});
  ~Replay();

  /// Begins now, unless it was killed before. Throws SimulationError, as the network's run() does later, if a rank
  /// waits for a request that it never had.
  void start();
  /// Ends the replay now, unless it has finished, and takes all it has under way out of the network.
  void kill();

  /// Once nothing happens any more: throws SimulationError if ranks are blocked (naming them, what they wait for and
  /// where it stands in the trace) or if messages were sent that nobody received.
  void check_complete() const;

  const ReplayReport& report() const;

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace toroid::netsim
