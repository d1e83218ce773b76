#pragma once
// What kinds of operations have in common.

#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Whether a kind receives a message and sends none.
constexpr bool is_receive(OpKind kind) {
  return kind == OpKind::recv || kind == OpKind::irecv || kind == OpKind::recv_init || kind == OpKind::recv_after;
}
constexpr bool is_persistent_init(OpKind kind) {
  return kind == OpKind::send_init || kind == OpKind::recv_init;
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

}  // namespace toroid::workloads
