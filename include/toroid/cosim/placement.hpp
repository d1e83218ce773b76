#pragma once
// Where a single job runs: on the nodes that --alloc, --nodes or --busy leave to it.
//
//   cosim::Placement{.alloc = "mc1x1", .busy = "random:0.5"}

#include <set>

#include "toroid/alloc/allocator.hpp"

namespace toroid::cosim {

// The nodes that others have on a machine, where a job gets its own.

using alloc::Allocation;
using platforms::Machine;

struct JobDescription;

/// A source of the nodes that are taken on a machine.
class Busy {
 public:
  virtual ~Busy() = default;
  virtual Allocation nodes(const Machine& machine, std::uint64_t seed) const = 0;
  /// Whether the seed may decide which nodes these are.
  virtual bool uses_seed(const Machine&) const { return false; }
  /// Whether it says which programs run on these nodes.
  virtual bool has_programs() const { return false; }
  /// The jobs that hold these nodes, on nodes that are theirs, if it says what they run: over and over, until the jobs
  /// beside them are done. Throws InputError.
  virtual std::vector<JobDescription> neighbours(const Machine& machine, std::uint64_t seed) const;
};
using MakeBusy = std::unique_ptr<Busy> (*)(const core::Arguments&);

/// The sources of taken nodes besides a list of nodes.
const core::Registry<MakeBusy>& busy_machines();

/// A source of taken nodes as a user chose it, as core::Choice is a thing of a registry: a list such as `0-15,20`, or a
/// spec such as `random:0.7` or `schedule:jobs=log.swf,at=3600s`.
class BusyChoice {
 public:
  /// Implicit: a text may stand for a choice. Throws InputError on a spec that is wrong; nodes that a list names are
  /// looked for when the machine is known.
  template <class Text>
  requires std::convertible_to<const Text&, std::string> BusyChoice(const Text& text)
      : text_(text), source_(source(text_)) {}

  /// The text as it was given.
  const std::string& text() const { return text_; }
  const Busy* operator->() const { return source_.get(); }

 private:
  static std::shared_ptr<const Busy> source(const std::string& text);

  std::string text_;
  std::shared_ptr<const Busy> source_;
};

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
