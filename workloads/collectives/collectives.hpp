#pragma once
// The collective algorithms we have, and which one a call uses.

#include "toroid/workloads/trace.hpp"
#include "workloads/collectives/member_grid.hpp"
#include "workloads/collectives/schedule.hpp"

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
  /// What of CollectiveCall::tuning the algorithm takes.
  enum class Takes : std::uint8_t { nothing, segment, ports, both } takes = Takes::nothing;
  CommRank lanes_of(const CollectiveCall& call) const { return lanes == nullptr ? 1 : lanes(call); }
};

/// All algorithms, by kind.
const std::vector<CollectiveAlgorithm>& collective_algorithms();

/// The algorithm of that name for a kind of collective. Throws InputError, which lists the valid names, if there is
/// none.
const CollectiveAlgorithm& find_collective(OpKind kind, std::string_view name);

/// The call that `operation` makes at position `me` of a communicator of `size` ranks. Throws InputError if the call
/// moves 2^64 bytes or more.
CollectiveCall collective_call(const Operation& operation, CommRank me, CommRank size);

/// The algorithm for a call, which gets its tuning, and its grid if the algorithm goes along that. `grid_of()` gives
/// the grid, or null where nobody knows it.
template <class GridOf>
const CollectiveAlgorithm& choose_for(CollectiveCall& call, const CollectiveChoice& choice, GridOf&& grid_of) {
  if (choice.may_use_grid()) call.grid = grid_of();
  const auto& algorithm = choice.choose(call);
  call.tuning = choice.tuning(call);
  if (!algorithm.uses_grid) call.grid = nullptr;
  return algorithm;
}

}  // namespace toroid::workloads
