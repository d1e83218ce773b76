#pragma once
// What the links of a machine can carry, for the solver.

#include "platforms/machine.hpp"

namespace toroid::netsim {

/// Bytes/s by link.
inline core::IdVector<platforms::LinkId, double> link_capacities(const platforms::Machine& machine) {
  core::IdVector<platforms::LinkId, double> all;
  for (const platforms::LinkId link : machine.links()) all.add(machine.link_bandwidth(link));
  return all;
}

}  // namespace toroid::netsim
