#pragma once
// What kinds of operations have in common, and operations that hold their lists.

#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

/// Whether a kind receives a message and sends none.
constexpr bool is_receive(OpKind kind) {
  return kind == OpKind::recv || kind == OpKind::irecv || kind == OpKind::recv_init || kind == OpKind::recv_after;
}
constexpr bool is_persistent_init(OpKind kind) {
  return kind == OpKind::send_init || kind == OpKind::recv_init;
}
constexpr bool is_start(OpKind kind) {
  return kind == OpKind::start || kind == OpKind::startall;
}
/// Whether a kind waits until all its requests have ended.
constexpr bool is_wait_for_all(OpKind kind) {
  return kind == OpKind::wait || kind == OpKind::waitall;
}
constexpr bool has_root(OpKind kind) {
  return kind == OpKind::bcast || kind == OpKind::reduce || kind == OpKind::gather || kind == OpKind::gatherv ||
         kind == OpKind::scatter || kind == OpKind::scatterv;
}
/// Whether a collective has send_counts (or recv_counts) with an element for each rank, at its root or at another rank.
constexpr bool needs_send_counts(OpKind kind, bool is_root) {
  return kind == OpKind::alltoallv || (kind == OpKind::scatterv && is_root);
}
constexpr bool needs_recv_counts(OpKind kind, bool is_root) {
  return kind == OpKind::allgatherv || kind == OpKind::alltoallv || (kind == OpKind::gatherv && is_root);
}
/// Whether a collective may have a count for each rank.
constexpr bool has_counts(OpKind kind) {
  return needs_send_counts(kind, true) || needs_recv_counts(kind, true) || kind == OpKind::reduce_scatter;
}

/// The handle of a collective that is a strand, too: it begins when what it requires has ended, and a join waits for it.
/// The calls of a communicator are told apart by their order in the programs of its ranks, whatever order they begin in.
inline constexpr RequestHandle by_itself = no_handle - 1;

constexpr bool is_strand(const Operation& op) {
  return is_strand(op.kind) || (is_collective(op.kind) && op.request == by_itself);
}

/// Calls visit(handle) for each request that an operation starts, waits for or tests.
template <class Visit>
void for_each_handle(const Operation& op, Visit&& visit) {
  if (op.kind == OpKind::start || op.kind == OpKind::wait || op.kind == OpKind::test) visit(op.request);
  for (const auto handle : op.requests) visit(handle);
}

/// An operation with the lists that it refers to.
struct HeldOperation {
  HeldOperation() = default;
  explicit HeldOperation(const Operation& op)
      : operation(op),
        requests(op.requests.begin(), op.requests.end()),
        after(op.after.begin(), op.after.end()),
        after_begin(op.after_begin.begin(), op.after_begin.end()),
        send_counts(op.send_counts.begin(), op.send_counts.end()),
        recv_counts(op.recv_counts.begin(), op.recv_counts.end()) {}

  /// The operation, which shows these lists as long as they are here.
  Operation shown() const {
    auto op = operation;
    op.requests = requests;
    op.after = after;
    op.after_begin = after_begin;
    op.send_counts = send_counts;
    op.recv_counts = recv_counts;
    return op;
  }

  Operation operation;
  std::vector<RequestHandle> requests;
  std::vector<std::uint64_t> after, after_begin, send_counts, recv_counts;
};

}  // namespace toroid::workloads
