#pragma once
// What a user is told when the program that is replayed cannot go on: who waits for what, and where in the trace.

#include "netsim/replay/messages.hpp"

namespace toroid::netsim {

/// A rank that does not go on.
struct BlockedRank {
  Rank rank;
  workloads::OpKind operation;
  std::uint64_t index;     ///< index of the operation in the rank's stream
  bool at_end;             ///< whether the rank has no operation left, only requests
  const Request* request;  ///< the first message that it waits for; may be null
};

// All throw SimulationError.

/// `some` of the `blocked` ranks of the trace are named.
[[noreturn]] void fail_deadlock(const workloads::Trace& trace, std::span<const BlockedRank> some, std::int32_t blocked);

/// A message and how many its receiver has not received.
[[noreturn]] void fail_unreceived(const workloads::Trace& trace, const Message& message, std::size_t count);

/// A link has failed under a message.
[[noreturn]] void fail_lost(const workloads::Trace& trace, const Message& message, std::string_view link);

/// A rank's program ends after puts that no fence of their communicator follows: nobody knows when they are there.
[[noreturn]] void fail_unfenced(const workloads::Trace& trace, Rank rank);

/// Operation `index` of the rank takes a request that it does not have.
[[noreturn]] void fail_no_request(const workloads::Trace& trace, Rank rank, std::uint64_t index,
                                  workloads::RequestHandle handle);

/// Operation `index` of the rank cannot be; `why` goes on behind the number of the rank.
[[noreturn]] void fail_operation(const workloads::Trace& trace, Rank rank, std::uint64_t index, std::string_view why);

}  // namespace toroid::netsim
