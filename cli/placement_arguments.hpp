#pragma once
// The nodes of a job, as users give them, alike for every command that places ranks.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/json.hpp"
#include "platforms/machine.hpp"

namespace toroid::cli {

struct PlacementArguments {
  std::string nodes;                            ///< empty: all
  std::optional<alloc::AllocatorChoice> alloc;  ///< what chooses the nodes
  std::string busy;                             ///< nodes that the job may not have; empty: none
  std::int32_t ranks_per_node = 1;

  void add_to(CLI::App& command);
  /// The nodes that are taken already. Throws InputError.
  std::vector<platforms::NodeId> taken(const platforms::Machine& machine, std::uint64_t seed) const;
  /// The slots of a job by its number of ranks: its nodes in order, each once per rank that it takes.
  using Slots = std::function<std::vector<platforms::NodeId>(std::int32_t ranks)>;
  /// The slots on a machine, which must outlive them. Throws InputError on nodes that the machine does not have or that
  /// are busy, and on more ranks per node than a node has cores; the slots do so when the allocator has no nodes for
  /// the job.
  Slots slots_on(const platforms::Machine& machine, std::uint64_t seed) const;
  /// Whether the nodes may depend on the seed and on files.
  bool is_allocated() const { return alloc || !busy.empty(); }
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  /// The nodes that `nodes` lists, or else all, that are not taken.
  std::vector<platforms::NodeId> wanted(const platforms::Machine& machine,
                                        const std::vector<platforms::NodeId>& taken) const;
};

}  // namespace toroid::cli
