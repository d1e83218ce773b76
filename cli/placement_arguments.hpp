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
  std::string alloc;  ///< allocator that chooses them; empty: none
  std::string busy;   ///< what the job may not have; empty: nothing
  std::int32_t ranks_per_node = 1;

  void add_to(CLI::App& command);
  /// What others hold already. Throws InputError.
  std::vector<platforms::NodeId> taken(const platforms::Machine& machine, std::uint64_t seed) const;
  /// The slots of a job of so many ranks: each node in its order, once per rank that it takes. Throws InputError on
  /// nodes that the machine does not have or that are busy, on more ranks per node than it has cores, and when the
  /// allocator has no nodes for the job.
  std::vector<platforms::NodeId> slots(const platforms::Machine& machine, std::int32_t ranks, std::uint64_t seed) const;
  /// Whether they may depend on the seed and on files.
  bool is_allocated() const { return !alloc.empty() || !busy.empty(); }
  /// Files that they are read from.
  /// For the manifest.
  void record(core::Json& manifest) const;

 private:
  std::vector<platforms::NodeId> nodes_for(const platforms::Machine& machine, std::int32_t ranks,
                                           std::uint64_t seed) const;
};

}  // namespace toroid::cli
