#pragma once
// What happens to a machine while jobs run on it: links fail, bandwidths and latencies change.

#include <cstddef>
#include <string>
#include <vector>

#include "netsim/network.hpp"

namespace toroid::netsim {

/// A change of the machine: from `time` on, in seconds, it is another one with the same nodes, routers and links.
struct MachineChange {
  double time;
  const Machine* machine;
};

/// Changes in the order of their times, and what happens to messages on links that fail.
struct MachineChanges {
  std::vector<MachineChange> changes = {};
  OnLinkFailure on_link_failure = OnLinkFailure::reroute;
};

/// The names of the engines that can change their machine.
std::vector<std::string> engines_that_change();

/// Throws InputError when there are changes, and the engine cannot change its machine.
void check_engine_for(const MachineChanges& changes, const EngineChoice& engine);

/// Lets the changes happen on a network, each at the beginning of its instant.
class MachineChanger final : TimerClient {
 public:
  /// The network and the changes must outlive it, and the machines must outlive the network.
  MachineChanger(Network& network, const MachineChanges& changes);
  ~MachineChanger() override;
  MachineChanger(const MachineChanger&) = delete;
  MachineChanger& operator=(const MachineChanger&) = delete;

 private:
  void timer_ended(std::uint32_t change) override;
  bool keeps_appointments() const override { return true; }

  Network& network_;
  const MachineChanges& changes_;
  std::size_t next_ = 0;  ///< number of changes that have happened
  std::vector<TimerId> timers_;
};

}  // namespace toroid::netsim
