#pragma once
// What the module with SimGrid in it (libtoroid_platform.so) gives the program.

#include "netsim/network.hpp"

namespace toroid::netsim {

/// Another in every build: of these sources, and of how they were compiled (cmake/stamp.cmake).
std::string_view build_stamp();

/// How SimGrid shares links and when it computes its rates anew.
struct SimgridOptions {
  enum class Sharing { equal, latency };
  Sharing sharing = Sharing::equal;
  bool full_updates = false;
};

}  // namespace toroid::netsim

/// A network that the caller deletes.
extern "C" __attribute__((visibility("default"))) toroid::netsim::Network* toroid_make_simgrid_network(
    const toroid::netsim::Machine& machine, toroid::netsim::Clock& clock,
    const toroid::netsim::SimgridOptions& options);

/// The build_stamp() of the module.
extern "C" __attribute__((visibility("default"))) const char* toroid_module_build();
