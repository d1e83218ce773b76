#pragma once
// The options of the replay, alike for every command that simulates.

#include <CLI/CLI.hpp>
#include <string>

#include "core/json.hpp"
#include "netsim/replay_options.hpp"

namespace toroid::cli {

struct ReplayArguments {
  std::string compute = "none", eager = "64KiB", envelope = "0", collectives = "default", order, repeats = "exact";

  void add_to(CLI::App& command);
  /// The options of the replay. Throws InputError on values that are not valid.
  netsim::ReplayOptions options() const;
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;
};

}  // namespace toroid::cli
