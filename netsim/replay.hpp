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

class Repeating;

/// One run of a trace on its nodes, from its start to its end. A replay ends when its last rank finishes; when nothing
/// of it is under way while ranks are blocked, messages were not received, or ranks wait for what never was; or when it
/// is killed. By then it has nothing left on the network and its clock, and `ended` is called, last of all: the replay
/// may be destroyed within that call.
class Replay {
 public:
  using Ended = std::function<void(ReplayEnd)>;

  /// Trace and network must outlive the replay. The trace is not read before the
  /// start.
  Replay(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended);
  /// Takes what it has under way out of the network, without calling `ended`.
  ~Replay();

  /// Begins now; once, and not after a kill.
  void start();
  /// The replay as those see it who pass over its iterations.
  Repeating& repeating();
  /// Ends the replay now, unless it has ended.
  void kill();

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
};

}  // namespace toroid::netsim
