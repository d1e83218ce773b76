#pragma once
// The nodes of a job, as users give them, alike for every command that places ranks.

#include <CLI/CLI.hpp>

#include "core/json.hpp"
#include "cosim/placement.hpp"

namespace toroid::cli {

struct PlacementArguments : cosim::Placement {
  void add_to(CLI::App& command);
  /// Whether the nodes may depend on the seed and on files.
  bool is_allocated() const { return alloc || !busy.empty(); }
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;
};

}  // namespace toroid::cli
