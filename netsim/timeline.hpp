#pragma once
// What happened in a run, one by one, for viewers of traces: calls of ranks, what these waited for, messages.

#include <cstdint>
#include <vector>

#include "core/id.hpp"
#include "netsim/activity.hpp"
#include "workloads/operation.hpp"

namespace toroid::netsim {

/// An operation of a rank, from the moment when the rank came to it to the moment when the rank went on. All times are
/// seconds since the start of the replay.
struct Call {
  double begin = 0, end = 0;
  std::uint64_t operation = 0;  ///< index in the rank's stream of operations; at the end of the stream, their number
  workloads::OpKind kind = workloads::OpKind::compute;  ///< `join` where a rank waits for the rest at its end
  workloads::SendMode mode = workloads::SendMode::standard;
  bool has_request = false;  ///< the operation gave a handle or took one: a collective does not block then
};

/// What a rank did for a while. A phase may begin before a call and go on after it where strands compute.
struct Phase {
  double begin = 0, end = 0;
  Doing doing = Doing::compute;
};

/// A message, those of collectives and within nodes included.
struct MessageFlight {
  double sent = 0;            ///< its sender's program, strand or collective came to the send
  double begin = 0, end = 0;  ///< its latency began; it arrived
  std::uint64_t bytes = 0;
  std::uint64_t operation = 0;  ///< index of the operation that sent it
  workloads::Rank from = 0, to = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;  ///< which keeps communicators, and in them collectives, apart

  workloads::CommId comm() const { return workloads::CommId(context / 2); }
  bool is_of_collective() const { return context % 2 == 1; }
};

struct Timeline {
  /// By rank, in their order: each call begins where the one before it ended.
  core::IdVector<workloads::Rank, std::vector<Call>> calls;
  /// By rank, in the order of their beginnings: waits, and what ranks computed within calls that are no computations.
  core::IdVector<workloads::Rank, std::vector<Phase>> phases;
  /// In the order in which they were sent. Of the messages between two ranks with one context and tag, the first that
  /// was sent is the first that is received.
  std::vector<MessageFlight> messages;
};

}  // namespace toroid::netsim
