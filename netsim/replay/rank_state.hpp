#pragma once
// What a rank of a replay has: where its program is, what it waits for, the operations beside its program, its puts.

#include <queue>
#include <tuple>

#include "netsim/replay/strand.hpp"
#include "netsim/replay/waiting.hpp"

namespace toroid::netsim {

/// A rank's own puts into the windows of a communicator that have not arrived, and the fence that waits for them.
struct OpenPuts {
  bool is_open = false;  ///< there were some since the last fence
  std::uint32_t under_way = 0;
  StrandId fence = no_strand;
};

/// A core of a rank, with the operations of a graph that can begin on it.
struct GraphCore {
  /// A queue in which those with the least key come first.
  template <class Key>
  struct Least : std::priority_queue<Key, std::vector<Key>, std::greater<>> {
    auto& keys() { return this->c; }
  };

  Least<std::pair<std::uint64_t, StrandId>> messages = {};  ///< messages by index
  /// Computations, by the time since which they can begin, then by index; no_strand: the program's own.
  Least<std::tuple<Time, std::uint64_t, StrandId>> computations = {};
  History computed = {};  ///< history of the computation that ended last beside strands, at `computed_at`
  Time computed_at = {};
  bool computing = false;  ///< whether the core computes until its timer ends; of the first, RankState has both
  TimerId timer = 0;
};

/// The operations of a graph that a rank has under way, or before it.
struct RankGraph {
  core::FlatMap<std::uint64_t, StrandId, core::Mix> strands = {};  ///< strands by the indices of their operations
  std::vector<GraphCore> others = {};
  StrandId computing = no_strand;  ///< the strand whose computation goes on; else it is the program's
  bool joining = false;            ///< whether the program waits for all of them
  GraphCore first = {};            ///< the core of the program
  GraphCore collectives = {};      ///< stands for none: collectives that can begin, whatever cores compute
  double own_seconds = 0;          ///< seconds of the program's own computation, while another one goes on
  History last = {};               ///< history of the strand that ended last, at `ended`
  Time ended = {};

  GraphCore& core(std::uint32_t number) { return number == 0 ? first : others[number - 1]; }
};

/// What most events of a rank need comes first: with thousands of ranks it has left the cache since the last event.
struct alignas(64) RankState {
  RankState(Requests& requests, bool tells) : waiting(requests, tells) {}

  std::unique_ptr<workloads::OperationStream> stream;
  std::uint64_t next_operation = 0;  ///< index of the operation after the current one
  /// The operations that the rank begins until its next iteration, if it is the rank that keeps time (Beats).
  std::uint64_t next_iteration = std::numeric_limits<std::uint64_t>::max();
  bool at_end = false, finished = false, computing = false;
  bool running = false;  ///< whether its program goes on at this moment
  bool blocked = false;  ///< whether its program is blocked
  workloads::Rank rank = 0;
  TimerId timer = 0;
  Time blocked_since;
  History history;
  workloads::Operation operation;  ///< the current one
  Waiting waiting;
  RankGraph graph = {};
  Time ready;  ///< when the rank came to its present wait
  /// Operations that began persistent requests, by the handles that they gave.
  core::FlatMap<RequestHandle, workloads::Operation, core::Mix> persistent = {};
  core::FlatMap<workloads::CommId, std::uint32_t, core::Mix> collectives = {};  ///< calls on each communicator
  core::FlatMap<workloads::CommId, OpenPuts, core::Mix> puts = {};              ///< puts by communicator
  std::int32_t open_puts = 0;                                                   ///< how many of these are open
};

using RankStates = core::IdVector<workloads::Rank, RankState>;

}  // namespace toroid::netsim
