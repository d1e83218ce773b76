#pragma once
// What the log of a replay tells of all its messages together.

#include "netsim/replay/cause_log.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

/// Sets `obstacles` and `message_classes` of a report that has its `critical_steps`. Takes time in proportion to the
/// messages and the hops of those that travel beside a critical message. Does nothing if nothing was logged.
void tell_messages(const platforms::Machine& machine, const CauseLog& causes, ReplayReport& report);

}  // namespace toroid::netsim
