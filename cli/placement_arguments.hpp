#pragma once
// The nodes of a job, as users give them, alike for every command that places ranks.

#include <CLI/CLI.hpp>

#include "core/json.hpp"
#include "cosim/placement.hpp"

namespace toroid::cli {

struct PlacementArguments : cosim::Placement {
  void add_to(CLI::App& command);
  /// Adds the options of a command that takes several allocators, which go into `allocators`; `labels` has what they
  /// are called, and `help` is that of --alloc.
  void add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators, std::vector<std::string>& labels,
              const std::string& help);
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  void add_nodes(CLI::App& command);
  void add_rest(CLI::App& command);
};

}  // namespace toroid::cli
