#pragma once
// The options that say which nodes a job has and how its ranks may share them, alike for every command that places.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "mapping/mapper.hpp"

namespace toroid::cli {

struct PlacementArguments {
  std::string nodes;  ///< as parse_nodes reads them; empty: all
  std::int32_t ranks_per_node = 1;

  void add_to(CLI::App& command);
  /// The job's nodes in their order, each as often as it takes ranks. Throws InputError on nodes that the machine does
  /// not have and on more ranks per node than it has cores.
  std::vector<mapping::NodeId> slots(const mapping::Machine& machine) const;
  /// For the manifest.
  void record(core::Json& manifest) const;
};

}  // namespace toroid::cli
