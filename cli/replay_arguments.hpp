#pragma once
// The options of the replay, alike for every command that simulates.

#include <CLI/CLI.hpp>

#include "core/json.hpp"
#include "netsim/replay_options.hpp"

namespace toroid::cli {

struct ReplayArguments : netsim::ReplayTexts {
  void add_to(CLI::App& command);
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;
  /// Throws InputError if iterations are to be sampled; `why` says why they cannot be: `as jobs share a network`.
  void refuse_sample(std::string_view why) const;
};

}  // namespace toroid::cli
