#pragma once
// MPI_Sendrecv in the vocabulary, where a sendrecv has one tag for both its messages.

#include <array>

#include "workloads/formats/handles.hpp"

namespace toroid::workloads {

/// Calls add(operation) with the sendrecv, or, if the receive has another tag, with an irecv, an isend, and the wait
/// for both.
template <class Add>
void add_exchange(const Operation& sendrecv, std::int32_t receive_tag, std::uint64_t receive_bytes, Handles& handles,
                  Add&& add) {
  if (receive_tag == sendrecv.tag) return add(sendrecv);
  const std::array<RequestHandle, 2> both{handles.give(), handles.give()};
  add(Operation{.kind = OpKind::irecv,
                .comm = sendrecv.comm,
                .from = sendrecv.from,
                .tag = receive_tag,
                .request = both[0],
                .bytes = receive_bytes});
  add(Operation{.kind = OpKind::isend,
                .comm = sendrecv.comm,
                .to = sendrecv.to,
                .tag = sendrecv.tag,
                .request = both[1],
                .bytes = sendrecv.bytes});
  add(Operation{.kind = OpKind::waitall, .requests = both});
  handles.take_back(both);
}

}  // namespace toroid::workloads
