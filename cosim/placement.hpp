#pragma once
// The nodes of one job, as users give them.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "cosim/busy.hpp"

namespace toroid::cosim {

struct Placement {
  std::string nodes = {};                            ///< such as `0-15,20`, in that order; empty: all
  std::optional<alloc::AllocatorChoice> alloc = {};  ///< what chooses the nodes
  std::optional<BusyChoice> busy = {};               ///< nodes that the job may not have
  std::int32_t ranks_per_node = 1;

  /// What chooses the nodes: the allocator, or the list of nodes, or `all`.
  std::string text() const { return alloc ? alloc->text() : nodes.empty() ? "all" : nodes; }
  /// Whether the allocator draws the nodes by lot, so that their order means nothing. Throws InputError.
  bool has_drawn_order(const platforms::Machine& machine) const;
  /// The names of what the seed decides: the busy nodes, the nodes of an allocator that draws lots. Throws InputError.
  std::set<std::string> lots(const platforms::Machine& machine) const;
  /// The nodes that are taken already. Throws InputError.
  std::vector<platforms::NodeId> taken(const platforms::Machine& machine, std::uint64_t seed) const;
  /// Whether what is busy runs programs, whose messages a run must have: its jobs are neighbours() then.
  bool has_neighbours() const;
  /// The jobs that hold what is busy, where it says what they run (Busy::neighbours()). Throws InputError.
  std::vector<JobDescription> neighbours(const platforms::Machine& machine, std::uint64_t seed) const;
  /// The nodes that `nodes` lists, or else all, that are not taken. Throws InputError where a node of the list is
  /// taken.
  std::vector<platforms::NodeId> wanted(const platforms::Machine& machine,
                                        const std::vector<platforms::NodeId>& taken) const;
  /// The slots of a job by its number of ranks: its nodes in order, each once per rank that it takes.
  using Slots = std::function<std::vector<platforms::NodeId>(std::int32_t ranks)>;
  /// The slots on a machine, which must outlive them. Throws InputError on nodes that the machine does not have or that
  /// are busy, on neighbours, and on more ranks per node than a node has cores; the slots do so when the allocator has
  /// no nodes for the job.
  Slots slots_on(const platforms::Machine& machine, std::uint64_t seed) const;
};

}  // namespace toroid::cosim
