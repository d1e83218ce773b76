#pragma once
// The engines, one file each; registered in engines.cpp.

#include "netsim/network.hpp"

namespace toroid::netsim {

/// Flows as SimGrid activities: the reference. One per process (SimGrid's engine is a singleton), see isolate.hpp.
std::unique_ptr<Network> make_simgrid_network(const Machine& machine, const core::Spec& spec, Clock& clock);

/// The same contention model, solved by our own incremental solver (fluid/max_min.hpp): for large machines and studies.
std::unique_ptr<Network> make_fluid_network(const Machine& machine, const core::Spec& spec, Clock& clock);

}  // namespace toroid::netsim
