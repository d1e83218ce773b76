#pragma once
// The nodes of a job, as users give them, alike for every command that places ranks.

#include <CLI/CLI.hpp>

#include "core/json.hpp"
#include "cosim/placement.hpp"

namespace toroid::cli {

struct PlacementArguments : cosim::Placement {
  void add_to(CLI::App& command);
  /// Adds the options of a command that takes several allocators, which go into `allocators`; `help` is that of
  /// --alloc.
  void add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators, const std::string& help);
  /// Whether the nodes may depend on the seed and on files.
  bool is_allocated() const { return alloc || !busy.empty(); }
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  void add_nodes(CLI::App& command);
  void add_rest(CLI::App& command);
};

}  // namespace toroid::cli
