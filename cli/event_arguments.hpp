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

/// The same, for the run.
struct Events {
  std::vector<std::unique_ptr<platforms::Machine>> machines;  ///< that the machine changes into, in order
  netsim::MachineChanges changes;
  std::vector<netsim::Kill> kills;
};

struct EventArguments {
  std::vector<std::string> at;
  std::string on_failure = "reroute";

  void add_to(CLI::App& command);
  /// The events on the machine that `platform` names. `jobs` are their names, as they can be killed; none where only
  /// one job runs. Throws InputError on what cannot be, or cannot be while jobs run.
  Events events(const std::string& platform, const std::vector<std::string>& jobs) const;
  /// For the manifest: nothing where nothing happens.
  void record(core::Json& manifest) const;
  /// For the result of a run that ended at a time: each event, and whether it came before that.
  core::Json json(double end) const;
  /// A line for each event in that which came too late.
  static std::string too_late(const core::Json& events);
};

}  // namespace toroid::cli
