#pragma once
// The rounds of all jobs of a run, one after the other, and what becomes of them.

#include "netsim/network.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::netsim {

/// Lets all jobs run until the last one has ended. What becomes of them is the result, without what links carried.
/// Throws SimulationError and InputError as netsim::run() does.
Result play_rounds(const Run& run, Network& network);

}  // namespace toroid::netsim
