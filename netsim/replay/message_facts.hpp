#pragma once
// What the logs of replays tell of all their messages together.

#include <vector>

#include "netsim/replay/cause_log.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

/// Sets `obstacles` and `message_classes` of a report that has its `critical_steps`. Takes time in proportion to the
/// messages and the hops of those that travel beside a critical message. Does nothing if nothing was logged.
void tell_messages(const platforms::Machine& machine, const CauseLog& causes, ReplayReport& report);

/// What a replay of a job reported, its messages included (ReplayOptions::keep_messages).
struct LoggedRound {
  std::uint32_t job = 0;
  ReplayReport report = {};
};

/// Sets `obstacles` of one of the rounds again: as tell_messages() does, but from the messages of all rounds, whose
/// jobs ran on the machine together.
void tell_obstacles(const platforms::Machine& machine, std::vector<LoggedRound>& rounds, std::size_t of);

}  // namespace toroid::netsim
