#pragma once
// The collective algorithms we have, and which one a call uses.

#include <array>
#include <string_view>
#include <vector>

#include "workloads/collectives/member_grid.hpp"
#include "workloads/collectives/schedule.hpp"
#include "workloads/trace.hpp"

namespace toroid::workloads {

struct CollectiveAlgorithm {
  OpKind kind;
  std::string_view name;
  std::string_view help;
  /// The schedule of call.me in call.lane. Messages of a lane between two ranks are received in the order in which they
  /// are sent.
  Schedule (*run)(CollectiveCall call);
  bool uses_grid = false;  ///< whether the messages follow from CollectiveCall::grid
  /// How many lanes a call has, the same for all its ranks: schedules that go on side by side, and each waits for its
  /// own messages alone (CollectiveCall::lane). Null: one.
  CommRank (*lanes)(const CollectiveCall& call) = nullptr;
  CommRank lanes_of(const CollectiveCall& call) const { return lanes == nullptr ? 1 : lanes(call); }
};

/// All algorithms, by kind.
const std::vector<CollectiveAlgorithm>& collective_algorithms();

/// The algorithm of that name for a kind of collective. Throws InputError, which lists the valid names, if there is
/// none.
const CollectiveAlgorithm& find_collective(OpKind kind, std::string_view name);

/// The choice of algorithms for calls of collectives: a rule for all kinds, and algorithms by name for some of them.
class CollectiveChoice {
 public:
  CollectiveChoice();  ///< the default rule
  /// Reads `default`, `mpi`, `torus` or `smpi`, each with overrides: `mpi:alltoall=linear,bcast=binomial`. Throws
  /// InputError.
  ///   default  that of the program: see Trace::collectives()
  ///   mpi      by message size and number of ranks, after MPICH's and Open MPI's habits
  ///   torus    rings along all axes of the members' grid, and trees along them; as mpi where messages are short
  ///   smpi     what smpirun -replay uses when not told otherwise (SimGrid 3.32)
  static CollectiveChoice parse(std::string_view spec);

  /// The choice with the default rule made that of a program.
  CollectiveChoice for_program(const Trace& trace) const;
  /// The rule, by its name, and the overrides, as parse() reads them.
  std::string text() const;

  /// The algorithm for a call. The choice depends only on what every rank of the communicator knows, so that all ranks
  /// choose the same.
  const CollectiveAlgorithm& choose(const CollectiveCall& call) const;
  /// Whether some calls may go along the grid of their members, so that their messages depend on where ranks run. The
  /// default rule must have been made that of a program.
  bool may_use_grid() const;

 private:
  std::string_view rule_;
  std::array<const CollectiveAlgorithm*, op_kind_count> override_{};
};

/// The call that `operation` makes at position `me` of a communicator of `size` ranks. Throws InputError if the call
/// moves 2^64 bytes or more.
CollectiveCall collective_call(const Operation& operation, CommRank me, CommRank size);

}  // namespace toroid::workloads
