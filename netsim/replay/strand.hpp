#pragma once
// What goes on beside the program of a rank, by itself: a collective between its begin and its end, as the rank takes
// part in it, or an operation of a graph, which begins when others have ended. A rank may have any number under way.

#include "netsim/replay/matching.hpp"
#include "netsim/time/clock.hpp"
#include "toroid/netsim/results/replay_report.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/operation_kinds.hpp"

namespace toroid::netsim {

struct Strand {
  Rank rank;
  std::uint64_t operation = 0;        ///< index in the rank's stream of what it is
  std::int32_t tag = 0;               ///< tag of its messages, beside
  std::uint32_t context = 0;          ///< the context, which keeps those of collectives apart
  History history = {};               ///< history of its last step
  Time since = {};                    ///< the time of that step
  std::vector<RequestId> round = {};  ///< requests that it has posted since its last wait
  bool at_core = false;               ///< whether the core of its rank sums or copies for it until its timer ends
  TimerId timer = 0;
  /// How many of its round have not ended; of the puts that a fence waits for; of what an operation of a graph
  /// requires.
  std::size_t pending = 0;

  // A collective:
  workloads::Schedule schedule = {};
  std::uint32_t steps = 0;  ///< taken from the schedule, which is one
  std::uint64_t call = 0;   ///< number of this call (hash_of())
  const workloads::Communicator* communicator = nullptr;
  const workloads::CollectiveAlgorithm* algorithm = nullptr;      ///< the algorithm that carries it out
  RequestId request = no_request;                                 ///< request of the collective as a whole
  std::vector<std::uint64_t> send_counts = {}, recv_counts = {};  ///< counts of a call that does not block

  // An operation of a graph:
  workloads::OpKind kind = workloads::OpKind::compute_after;
  workloads::SendMode mode = workloads::SendMode::standard;
  Rank partner = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;      ///< seconds of a computation
  std::uint32_t core = 0;  ///< core of its rank that it occupies; the program's is 0
  bool begun = false;
  std::vector<StrandId> lanes = {};                    ///< lanes of a collective, which begin with it
  std::vector<StrandId> after = {}, after_begin = {};  ///< strands that wait for its end, and for its begin
};

using Strands = core::Pool<Strand>;

// The calls of a rank on one communicator are numbered: messages of one collective are never taken for those of
// another. With the kind in the tag, ranks that are in different collectives do not understand each other.

constexpr std::uint32_t collective_kind_bits = 6;
static_assert(workloads::op_kind_count <= std::size_t{1} << collective_kind_bits);

constexpr std::int32_t collective_tag(workloads::OpKind kind, std::uint32_t call) {
  const auto tag = (call << collective_kind_bits) | static_cast<std::uint32_t>(kind);
  return static_cast<std::int32_t>(tag & 0x7fffffffU);
}
constexpr std::uint32_t call_of_collective_tag(std::int32_t tag) {
  return static_cast<std::uint32_t>(tag) >> collective_kind_bits;
}
constexpr workloads::OpKind kind_of_collective_tag(std::int32_t tag) {
  return static_cast<workloads::OpKind>(tag & ((1 << collective_kind_bits) - 1));
}
/// The collective that a message is of, if it is of one.
constexpr std::optional<workloads::OpKind> collective_of(const Envelope& envelope) {
  if (!is_collective_context(envelope.context)) return std::nullopt;
  return kind_of_collective_tag(envelope.tag);
}

}  // namespace toroid::netsim
