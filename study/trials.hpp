#pragma once
// A run again with one thing changed: what could be changed of a machine, as a buyer or an owner would ask, and what a
// run is that is only to be timed. run_all() (executor.hpp) does such runs.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "netsim/run.hpp"
#include "platforms/machine.hpp"

namespace toroid::study {

struct PropertyChange {
  std::vector<std::pair<std::string, std::string>> properties;  ///< `x.bandwidth` and `x2`, as --set takes them

  /// What to give behind --set: `x.bandwidth=x2`.
  std::string text() const;
  /// The machine with the change. Throws InputError where that is no machine.
  platforms::Machine apply(const platforms::Machine& machine) const;
};

/// Twice the bandwidth of all links, of each dimension with links, and of the nodes' own links where these have a
/// limit; half of the latencies; wraps for the dimensions that have none. Only what the machine has can change.
std::vector<PropertyChange> usual_changes(const platforms::Machine& machine);

/// What tells how much the run time depends on each dimension: twice the bandwidth, then half of the latency, of each
/// dimension with links. A latency of 0 is left out.
std::vector<PropertyChange> changes_by_dimension(const platforms::Machine& machine);

/// The machine with a change; null where there is no such machine, as with a wrap across a twist.
std::shared_ptr<const platforms::Machine> changed(const platforms::Machine& machine, const PropertyChange& change);

/// The run without all that is measured besides its times. A sample of iterations becomes the whole run.
netsim::RunRequest plain(netsim::RunRequest request);

}  // namespace toroid::study
