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
  std::string alloc;  ///< allocator that chooses the nodes; empty: none
  std::string busy;   ///< nodes that the job may not have; empty: none
  std::int32_t ranks_per_node = 1;

  void add_to(CLI::App& command);
  /// The nodes that are taken already. Throws InputError.
  std::vector<platforms::NodeId> taken(const platforms::Machine& machine, std::uint64_t seed) const;
  /// The slots of a job of `ranks` ranks: its nodes in order, each once per rank that it takes. Throws InputError on
  /// nodes that the machine does not have or that are busy, on more ranks per node than a node has cores, and when the
  /// allocator has no nodes for the job.
  std::vector<platforms::NodeId> slots(const platforms::Machine& machine, std::int32_t ranks, std::uint64_t seed) const;
  /// Whether the nodes may depend on the seed and on files.
  bool is_allocated() const { return !alloc.empty() || !busy.empty(); }
  /// The files that the nodes are read from.
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  std::vector<platforms::NodeId> nodes_for(const platforms::Machine& machine, std::int32_t ranks,
                                           std::uint64_t seed) const;
};

}  // namespace toroid::cli
