#pragma once
// The nodes of a job, as users give them, alike for every command that places ranks.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "platforms/machine.hpp"

namespace toroid::cli {

struct PlacementArguments {
  std::string nodes;  ///< empty: all
  std::int32_t ranks_per_node = 1;

  void add_to(CLI::App& command);
  /// The slots on a machine: each node in its order, once per rank that it takes. Throws InputError on nodes that the
  /// machine does not have, or more ranks per node than it has cores.
  std::vector<platforms::NodeId> slots(const platforms::Machine& machine) const;
  /// For the manifest.
  void record(core::Json& manifest) const;
};

}  // namespace toroid::cli
