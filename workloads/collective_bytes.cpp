#include "workloads/collective_bytes.hpp"

#include <numeric>

#include "core/checked.hpp"
#include "core/error.hpp"

namespace toroid::workloads {

std::uint64_t handed_in(const CollectiveCall& call) {
  const auto sum = [](std::span<const std::uint64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const auto of_all = call.bytes * static_cast<std::uint64_t>(call.size);
  switch (call.kind) {
    case OpKind::bcast:
      return call.me == call.root ? call.bytes : 0;
    case OpKind::scatter:
      return call.me == call.root ? of_all : 0;
    case OpKind::scatterv:
      return call.me == call.root ? sum(call.send_counts) : 0;
    case OpKind::alltoall:
      return of_all;
    case OpKind::alltoallv:
      return sum(call.send_counts);
    case OpKind::reduce_scatter:
      return call.recv_counts.empty() ? of_all : sum(call.recv_counts);
    default:
      return call.bytes;
  }
}

std::array<std::uint64_t, op_kind_count> collective_bytes(const Trace& trace) {
  std::array<std::uint64_t, op_kind_count> bytes{};
  for (const Rank rank : core::ids<Rank>(trace.ranks())) {
    const auto stream = trace.open(rank);
    for (Operation op; stream->next(op);) {
      if (!is_collective(op.kind)) continue;
      const auto& members = trace.communicator(op.comm);
      const auto me = members.rank_of(rank);
      if (me < 0) core::fail_input("rank {} is no member of the communicator of its {}", rank, to_string(op.kind));
      if (!core::add_to(bytes[static_cast<std::size_t>(op.kind)], handed_in(collective_call(op, me, members.size()))))
        core::fail_input("what ranks hand in to {} adds up to 2^64 bytes or more", to_string(op.kind));
    }
  }
  return bytes;
}

}  // namespace toroid::workloads
