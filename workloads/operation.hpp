#pragma once
// One MPI operation of one rank, in the vocabulary of the replay. Wider than SimGrid's time-independent format on
// purpose: requests by handle, persistent requests, communicators, collectives that do not block, wildcards, send
// modes, one-sided puts.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/id.hpp"

namespace toroid::workloads {

using Rank = core::Id<struct RankTag>;  ///< of a process in the world: 0 to ranks - 1
/// Of a process in a communicator: its position among the members. A number, because algorithms calculate with it.
using CommRank = std::int32_t;
using CommId = core::Id<struct CommTag>;

inline constexpr CommRank any_source = -1;
inline constexpr CommRank no_process = -2;  ///< MPI_PROC_NULL: the operation does nothing
inline constexpr std::int32_t any_tag = -1;
inline constexpr CommId world = 0;

/// A rank's own small number for something that it can wait for. An operation that does not block gives it, a wait or
/// test takes it. If a handle is given again before its request was taken, it stands for both, the older one first.
using RequestHandle = std::uint32_t;
/// Given: no wait will ask for the request, and only the end of the rank waits for it.
inline constexpr RequestHandle no_handle = ~RequestHandle{0};

enum class OpKind : std::uint8_t {
  compute,
  sleep,
  compute_after,  ///< a strand, as send_after and recv_after: begins by itself, when what it requires has ended
  send,
  isend,
  recv,
  irecv,
  sendrecv,
  send_init,  ///< a persistent request: nothing happens before a start
  recv_init,
  send_after,
  recv_after,
  start,  ///< as if its init were an isend or irecv that gave the same handle
  startall,
  wait,
  waitall,
  waitany,   ///< until one request has ended; takes that one
  waitsome,  ///< until one request has ended; takes all that have
  test,      ///< takes the request if it has ended
  join,      ///< until all strands of the rank have ended
  put,      ///< a message that nobody receives: it travels at once, and the next fence of its communicator waits for it
  barrier,  // this and all that follow: collectives
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce_scatter,
  scan,
  exscan,
  fence  ///< ends when the puts of all ranks of the communicator before their fences have arrived; blocks always
};
inline constexpr std::size_t op_kind_count = static_cast<std::size_t>(OpKind::fence) + 1;

std::string_view to_string(OpKind kind);

constexpr bool is_collective(OpKind kind) {
  return kind >= OpKind::barrier;
}
/// Sends or receives of single messages, blocking, not blocking, persistent or strands.
constexpr bool is_point_to_point(OpKind kind) {
  return kind >= OpKind::send && kind <= OpKind::recv_after;
}
/// An operation of a graph: the rank goes on while it waits for those that it requires, and while it lasts. Of the
/// rank's strands and its program one computes at a time, and while it does no strand begins.
constexpr bool is_strand(OpKind kind) {
  return kind == OpKind::compute_after || kind == OpKind::send_after || kind == OpKind::recv_after;
}
/// Operations that send a message at once, for a receive.
constexpr bool is_send(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::isend || kind == OpKind::sendrecv || kind == OpKind::send_after;
}

/// How a send completes: `standard` by the protocol for its size, `synchronous` only once matched (MPI_Ssend),
/// `buffered` at once whatever the size (MPI_Bsend).
enum class SendMode : std::uint8_t { standard, synchronous, buffered };

/// Fields that a kind does not use are left at their defaults. What the spans show lasts until the stream moves on.
struct Operation {
  OpKind kind = OpKind::compute;
  /// Of sends.
  SendMode mode = SendMode::standard;
  /// Of messages and collectives. Of puts and fences that of the window: all windows of one are as one.
  CommId comm = world;
  /// Sends, sendrecv, put: the receiver, or no_process.
  CommRank to = 0;
  /// Receives, sendrecv: the sender, any_source or no_process.
  CommRank from = 0;
  /// bcast, reduce, gather(v), scatter(v).
  CommRank root = 0;
  /// Messages; any_tag only in receives. sendrecv: of both its messages.
  std::int32_t tag = 0;
  /// isend, irecv, send_init, recv_init: given. Collectives: given, and then the collective does not block.
  /// start, wait, test: taken.
  RequestHandle request = no_handle;
  /// Sends, sendrecv, put: bytes sent. Receives: the capacity, which has no effect. Collectives: this rank's
  /// contribution: the message (bcast), vector (reduce, allreduce, scan), block (gather, allgather, gatherv,
  /// allgatherv, scatter: of one rank), or block per destination (alltoall).
  std::uint64_t bytes = 0;
  /// compute, compute_after: flops. Reductions: flops of combining once, at this rank. sleep: seconds.
  double amount = 0;
  /// startall, waitall, waitany, waitsome. Those that stand for nothing any more are passed over.
  std::span<const RequestHandle> requests = {};
  /// Strands: what must have ended, and what must have begun, before they begin: 1 is the operation before this one in
  /// the rank's program, 2 the one before that. Whatever is no strand has ended.
  std::span<const std::uint64_t> after = {}, after_begin = {};
  /// alltoallv: bytes to each rank. scatterv (root): bytes to each.
  std::span<const std::uint64_t> send_counts = {};
  /// alltoallv: bytes from each rank. gatherv (root), allgatherv, reduce_scatter: bytes of each rank's block.
  std::span<const std::uint64_t> recv_counts = {};
};

}  // namespace toroid::workloads
