#pragma once
// Which algorithm each collective of a program uses, as a user chose it: CollectiveChoice::parse("mpi:bcast=binomial").

#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

class Trace;
struct CollectiveAlgorithm;
struct CollectiveCall;

/// What may be asked of an algorithm that takes it.
struct CollectiveTuning {
  CommRank ports = 0;         ///< parts that go on side by side; 0: as many as the algorithm has of itself
  std::uint64_t segment = 0;  ///< bytes; 0: messages are not cut
  /// `:ports=6,segment=65536`; empty where nothing is asked.
  std::string text() const;
  auto operator<=>(const CollectiveTuning&) const = default;
};

/// The choice of algorithms for calls of collectives: a rule for all kinds, and algorithms by name for some of them.
class CollectiveChoice {
 public:
  CollectiveChoice();  ///< the default rule
  /// Reads `default`, `mpi`, `torus`, `openmpi` or `smpi`, each with overrides:
  /// `mpi:alltoall=linear,bcast=(chain:segment=64KiB)`. Throws InputError.
  ///   default  that of the program: see Trace::collectives()
  ///   mpi      by message size and number of ranks, after MPICH's and Open MPI's habits
  ///   torus    rings along all axes of the members' grid, and trees along them; few rounds where these are sooner
  ///   openmpi  Open MPI's fixed decisions (4.0)
  ///   smpi     what smpirun -replay uses when not told otherwise (SimGrid 3.32)
  static CollectiveChoice parse(std::string_view spec);

  /// The choice with the default rule made that of a program.
  CollectiveChoice for_program(const Trace& trace) const;
  /// The choice with each algorithm of a kind in place of its own: such that take ports also with one, such that cut
  /// messages also in 64 KiB.
  std::vector<CollectiveChoice> with_each(OpKind kind) const;
  /// The choice with what another one has chosen for that kind by name, in place of its own.
  CollectiveChoice with(const CollectiveChoice& other, OpKind kind) const;
  /// The rule, by its name, and the overrides, as parse() reads them.
  std::string text() const;

  /// The algorithm for a call. The choice depends only on what every rank of the communicator knows, so that all ranks
  /// choose the same.
  const CollectiveAlgorithm& choose(const CollectiveCall& call) const;
  /// CollectiveCall::tuning of a call: what the rule says, or what was asked of the algorithm.
  CollectiveTuning tuning(const CollectiveCall& call) const;
  /// Whether some calls may go along the grid of their members, so that their messages depend on where ranks run. The
  /// default rule must have been made that of a program.
  bool may_use_grid() const;

 private:
  struct Override {
    const CollectiveAlgorithm* algorithm = nullptr;
    CollectiveTuning tuning = {};
  };

  /// What was chosen for a kind; null: what the rule says.
  const Override* chosen_for(OpKind kind) const;
  CollectiveChoice with(const Override& override) const;

  std::string_view rule_;
  std::vector<Override> overrides_;  ///< what was chosen, by kind, ascending
};
}  // namespace toroid::workloads
