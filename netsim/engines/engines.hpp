#pragma once
// The engines, one file each; registered in engines.cpp.

#include "netsim/network.hpp"

namespace toroid::netsim {

/// Flows as SimGrid activities: the reference. One per process (SimGrid's engine is a singleton), see isolate.hpp.
std::unique_ptr<Network> make_simgrid_network(const Machine& machine, const core::Spec& spec);
/// Loads SimGrid and what is made for it. Throws InputError when it is not there.
void load_simgrid();

/// The same contention model, solved by our own incremental solver (fluid/max_min.hpp): for large machines and studies.
std::unique_ptr<Network> make_fluid_network(const Machine& machine, const core::Spec& spec);

}  // namespace toroid::netsim

/// What the module with SimGrid in it gives the program: a network that the caller deletes.
extern "C" __attribute__((visibility("default"))) toroid::netsim::Network* toroid_make_simgrid_network(
    const toroid::netsim::Machine& machine, const toroid::core::Spec& spec);
