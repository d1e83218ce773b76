#pragma once
// What happens in the middle of a run, as users give it: `2ms:fail-link n5-n6`, `2ms:set x.bandwidth=x0.5`,
// `2ms:kill noise`.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "netsim/run_jobs.hpp"

namespace toroid::cli {

/// The events of a run, ready for the simulation.
struct Events {
  std::vector<std::unique_ptr<platforms::Machine>> machines;  ///< machines that the machine changes into, in order
  netsim::MachineChanges changes;
  std::vector<netsim::Kill> kills;
};

struct EventArguments {
  std::vector<std::string> at;
  std::string on_failure = "reroute";

  void add_to(CLI::App& command);
  /// The events on a machine, which must outlive them. `jobs` are the names of the jobs that can be killed; none where
  /// only one job runs. Throws InputError on an event that is not valid, or not possible while jobs run.
  Events events(const platforms::Machine& machine, const std::vector<std::string>& jobs) const;
  /// Adds the events to the manifest; adds nothing if there are none.
  void record(core::Json& manifest) const;
  /// The events as JSON for the result of a run that ended at `end` seconds, and whether each came before that.
  core::Json json(double end) const;
  /// A line of text for each event that is too late for a run that ended at `end` seconds.
  std::string too_late(double end) const;
};

}  // namespace toroid::cli
