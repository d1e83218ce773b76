#pragma once
// One MPI operation of one rank, in the vocabulary of the replay. Wider than SimGrid's time-independent format on
// purpose: requests by handle, persistent requests, communicators, collectives that do not block, wildcards, send
// modes, one-sided puts.

#include <span>
#include <string_view>

#include "toroid/core/id.hpp"

namespace toroid::workloads {

using Rank = core::Id<struct RankTag>;  ///< a process of the world, by its number: 0 to ranks - 1
/// The rank of a process in a communicator: its position among the members. It is a plain number, because algorithms
/// calculate with it.
using CommRank = std::int32_t;
using CommId = core::Id<struct CommTag>;

inline constexpr CommRank any_source = -1;
inline constexpr CommRank no_process = -2;  ///< MPI_PROC_NULL: the operation does nothing
inline constexpr std::int32_t any_tag = -1;
inline constexpr CommId world = 0;

/// A rank's own small number for a request, something that it can wait for. An operation that does not block gives a
/// handle, a wait or test takes it. If a handle is given again before its request was taken, it stands for both
/// requests, and the older one is taken first.
using RequestHandle = std::uint32_t;
/// The handle of a request that no wait will ask for: only the end of the rank waits for it.
inline constexpr RequestHandle no_handle = ~RequestHandle{0};

enum class OpKind : std::uint8_t {
  compute,
  sleep,
  compute_after,  ///< a strand (see is_strand), as are send_after and recv_after: begins when what it requires has
                  ///< ended
  send,
  isend,
  recv,
  irecv,
  sendrecv,
  send_init,  ///< a persistent request: nothing happens before a start
  recv_init,
  send_after,
  recv_after,
  start,  ///< acts as an isend or irecv in place of its init, with the same handle
  startall,
  wait,
  waitall,
  waitany,   ///< waits until one request has ended; takes that one
  waitsome,  ///< waits until one request has ended; takes all that have
  test,      ///< takes the request if it has ended
  join,      ///< waits until all strands of the rank have ended
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
/// Whether a kind sends or receives single messages, be it blocking, not blocking, persistent or a strand.
constexpr bool is_point_to_point(OpKind kind) {
  return kind >= OpKind::send && kind <= OpKind::recv_after;
}
/// Whether a kind is a strand, an operation of a graph: the rank goes on while the strand waits for the operations that
/// it requires, and while it lasts. The program of a rank, on its core 0, and the strands of a core compute one at a
/// time; while one of them computes, no strand begins on that core.
constexpr bool is_strand(OpKind kind) {
  return kind == OpKind::compute_after || kind == OpKind::send_after || kind == OpKind::recv_after;
}
/// Whether a kind sends a message at once, for a receive.
constexpr bool is_send(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::isend || kind == OpKind::sendrecv || kind == OpKind::send_after;
}

/// How a send completes: `standard` by the protocol for its size, `synchronous` only once matched (MPI_Ssend),
/// `buffered` at once whatever the size (MPI_Bsend).
enum class SendMode : std::uint8_t { standard, synchronous, buffered };

/// One operation. Fields that its kind does not use have their defaults. The lists that its spans show are valid until
/// the stream moves on.
struct Operation {
  OpKind kind = OpKind::compute;
  /// Sends: how they complete.
  SendMode mode = SendMode::standard;
  /// Messages and collectives: the communicator. Puts and fences: that of the window; all windows of a communicator are
  /// taken for one.
  CommId comm = world;
  /// Sends, sendrecv, put: the receiver, or no_process.
  CommRank to = 0;
  /// Receives, sendrecv: the sender, any_source or no_process.
  CommRank from = 0;
  /// bcast, reduce, gather(v), scatter(v): the root. Strands: the core of the rank that they occupy, 0 to 255.
  CommRank root = 0;
  /// Messages: the tag, any_tag only in receives. sendrecv: the tag of both its messages.
  std::int32_t tag = 0;
  /// isend, irecv, send_init, recv_init: the handle that they give. Collectives: the handle that they give, unless they
  /// block. start, wait, test: the handle that they take.
  RequestHandle request = no_handle;
  /// Sends, sendrecv, put: bytes sent. Receives: the capacity, which has no effect. Collectives: this rank's
  /// contribution: the message (bcast), vector (reduce, allreduce, scan), block (gather, allgather, gatherv,
  /// allgatherv, scatter: of one rank), or block per destination (alltoall). compute_after: bytes of memory that it
  /// touches.
  std::uint64_t bytes = 0;
  /// compute, compute_after: flops. Reductions: flops of combining once, at this rank. sleep: seconds.
  double amount = 0;
  /// startall, waitall, waitany, waitsome: the handles that they take. A handle whose request was taken already is
  /// passed over.
  std::span<const RequestHandle> requests = {};
  /// Strands: the operations that must have ended (`after`) or begun (`after_begin`) before this one begins, counted
  /// backward in the rank's program: 1 is the operation before this one. Operations that are no strands have ended.
  std::span<const std::uint64_t> after = {}, after_begin = {};
  /// alltoallv: bytes to each rank. scatterv (root): bytes to each.
  std::span<const std::uint64_t> send_counts = {};
  /// alltoallv: bytes from each rank. gatherv (root), allgatherv, reduce_scatter: bytes of each rank's block.
  std::span<const std::uint64_t> recv_counts = {};

  /// What its rank computes for it: as a computation, or to combine what a reduction brings.
  double computed() const { return kind == OpKind::sleep ? 0 : amount; }
  /// The bytes of memory that it touches, where a trace says so.
  double touched() const { return kind == OpKind::compute_after ? static_cast<double>(bytes) : 0; }
};

}  // namespace toroid::workloads
