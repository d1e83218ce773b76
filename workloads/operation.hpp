#pragma once
// One MPI operation of one rank, in the vocabulary of the replay. Wider than SimGrid's time-independent format on
// purpose: communicators, wildcards, send modes, wait-any.

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

namespace toroid::workloads {

using Rank = std::int32_t;
using CommId = std::int32_t;

inline constexpr Rank any_source = -1;
inline constexpr Rank no_process = -2;  ///< MPI_PROC_NULL: the operation does nothing
inline constexpr std::int32_t any_tag = -1;
inline constexpr CommId world = 0;

enum class OpKind : std::uint8_t {
  compute,
  sleep,
  send,
  isend,
  recv,
  irecv,
  sendrecv,
  wait,
  waitall,
  waitany,
  test,
  barrier,
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
  exscan
};
inline constexpr std::size_t op_kind_count = static_cast<std::size_t>(OpKind::exscan) + 1;

std::string_view to_string(OpKind kind);

constexpr bool is_collective(OpKind kind) {
  return kind >= OpKind::barrier;
}
/// Sends or receives of single messages, blocking or not.
constexpr bool is_point_to_point(OpKind kind) {
  return kind >= OpKind::send && kind <= OpKind::sendrecv;
}

/// How a send completes: `standard` by the protocol for its size, `synchronous` only once matched (MPI_Ssend),
/// `buffered` at once whatever the size (MPI_Bsend).
enum class SendMode : std::uint8_t { standard, synchronous, buffered };

/// Fields that a kind does not use are left at their defaults.
struct Operation {
  OpKind kind = OpKind::compute;
  SendMode mode = SendMode::standard;
  /// isend, irecv: a later `wait` of the program ends this request by name, so no waitall or waitany before it does.
  bool waited_by_name = false;
  CommId comm = world;
  /// send: receiver. recv: sender or any_source. sendrecv: receiver. Rooted collectives: root, as a rank of `comm`.
  /// wait, test: the sender of the request's message, as a world rank.
  Rank peer = 0;
  /// sendrecv: sender of the received message. wait, test: the receiver of the request's message, as
  /// a world rank.
  Rank other = 0;
  std::int32_t tag = 0;
  /// Point-to-point: bytes sent, or the capacity of the receive. Collectives: this rank's contribution: the message
  /// (bcast), vector (reduce, allreduce, scan), block (gather, allgather, gatherv, allgatherv, scatter: of one rank),
  /// or block per destination (alltoall). waitall, waitany: number of requests.
  std::uint64_t bytes = 0;
  /// compute: flops. Reductions: flops of combining once, at this rank. sleep: seconds.
  double amount = 0;
  /// alltoallv: bytes to each rank. scatterv (root): bytes to each. Valid until the stream moves on.
  std::span<const std::uint64_t> send_counts = {};
  /// alltoallv: bytes from each rank. gatherv (root), allgatherv, reduce_scatter: bytes of each rank's block.
  std::span<const std::uint64_t> recv_counts = {};
};

/// How a trace names a request: sender, receiver (world ranks), tag.
using RequestName = std::tuple<Rank, Rank, std::int32_t>;

/// The name that an isend or irecv of `rank` gives its request, or that a wait asks for.
inline RequestName request_name(const Operation& o, Rank rank) {
  if (o.kind == OpKind::wait || o.kind == OpKind::test) return {o.peer, o.other, o.tag};
  return o.kind == OpKind::isend ? RequestName(rank, o.peer, o.tag) : RequestName(o.peer, rank, o.tag);
}

}  // namespace toroid::workloads
