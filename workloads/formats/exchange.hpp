#pragma once
// Exchanges whose messages have different tags: `sendrecv` has one for both.

#include <array>

#include "workloads/formats/handles.hpp"

namespace toroid::workloads {

/// Calls add(operation) with what a sendrecv is whose receive has that tag: itself, or a receive and a send that do not
/// block, and a wait for both.
template <class Add>
void add_exchange(const Operation& op, std::int32_t receive_tag, std::uint64_t capacity, Handles& handles, Add&& add) {
  if (receive_tag == op.tag) return add(op);
  const std::array<RequestHandle, 2> both{handles.give(), handles.give()};
  add({.kind = OpKind::irecv,
       .comm = op.comm,
       .from = op.from,
       .tag = receive_tag,
       .request = both[0],
       .bytes = capacity});
  add({.kind = OpKind::isend, .comm = op.comm, .to = op.to, .tag = op.tag, .request = both[1], .bytes = op.bytes});
  add({.kind = OpKind::waitall, .requests = both});
  handles.take_back(both);
}

}  // namespace toroid::workloads
