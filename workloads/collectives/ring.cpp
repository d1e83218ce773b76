// Algorithms for long messages: p-1 rounds, each rank with one partner to send to and one to receive from.

#include "workloads/collectives/collectives.hpp"
#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads {
namespace {

/// Blocks travel round the ring; in round k a rank passes on the block that started k ranks before it.
Schedule allgather_ring(CollectiveCall call) {  // also allgatherv
  for (CommRank k = 0; k + 1 < call.size; ++k) {
    co_yield exchange(around(call.me, -1, call.size), around(call.me, 1, call.size),
                      block_of(call, around(call.me, -k, call.size)));
  }
}

/// van de Geijn: the root scatters the message over a binomial tree, a ring allgather puts it together everywhere.
Schedule bcast_scatter_ring(CollectiveCall call) {
  const CommRank relative = around(call.me, -call.root, call.size);
  const auto piece = [&](CommRank first, CommRank last) {
    return cut_bytes(call.bytes, call.size, first, std::min(last, call.size));
  };
  CommRank mask = 1;
  while (mask < call.size && (relative & mask) == 0) mask *= 2;
  if (relative != 0) co_yield completed(receive(around(call.me, -mask, call.size)));
  for (CommRank child = mask / 2; child > 0; child /= 2) {
    if (relative + child >= call.size) continue;
    co_yield send(around(call.me, child, call.size), piece(relative + child, relative + 2 * child));
    co_yield wait();
  }
  for (CommRank k = 0; k + 1 < call.size; ++k) {
    const CommRank block = around(relative, -k, call.size);
    co_yield exchange(around(call.me, -1, call.size), around(call.me, 1, call.size), piece(block, block + 1));
  }
}

/// A ring reduce-scatter and a ring allgather: 2 (p-1) rounds of one p-th of the vector, neighbours only.
Schedule allreduce_ring(CollectiveCall call) {
  for (CommRank k = 0; k < 2 * (call.size - 1); ++k) {
    const CommRank block = around(call.me, -(k % call.size), call.size);
    co_yield exchange(around(call.me, -1, call.size), around(call.me, 1, call.size),
                      cut_bytes(call.bytes, call.size, block, block + 1));
  }
}

/// In round k, send to the partner and receive from the partner at distance k (by XOR where the size is a power of
/// two): one message per rank in the network at a time.
Schedule alltoall_pairwise(CollectiveCall call) {  // also alltoallv
  const bool power = power_below(call.size) == call.size;
  for (CommRank k = 1; k < call.size; ++k) {
    const CommRank to = power ? call.me ^ k : around(call.me, k, call.size);
    const CommRank from = power ? call.me ^ k : around(call.me, -k, call.size);
    co_yield exchange(from, to, block_to(call, to));
  }
}

/// In round k, hand the rank at distance k its block of the vector.
Schedule reduce_scatter_pairwise(CollectiveCall call) {
  for (CommRank k = 1; k < call.size; ++k) {
    const CommRank to = around(call.me, k, call.size);
    co_yield exchange(around(call.me, -k, call.size), to, block_of(call, to));
  }
}

}  // namespace

std::vector<CollectiveAlgorithm> ring_collectives() {
  return {{OpKind::bcast, "scatter_ring", "scatter, then ring allgather (van de Geijn)", bcast_scatter_ring},
          {OpKind::allreduce, "ring", "ring reduce-scatter, then ring allgather", allreduce_ring},
          {OpKind::allgather, "ring", "blocks travel round the ring", allgather_ring},
          {OpKind::allgatherv, "ring", "blocks travel round the ring", allgather_ring},
          {OpKind::alltoall, "pairwise", "one partner at a time", alltoall_pairwise},
          {OpKind::alltoallv, "pairwise", "one partner at a time", alltoall_pairwise},
          {OpKind::reduce_scatter, "pairwise", "one partner at a time", reduce_scatter_pairwise}};
}

}  // namespace toroid::workloads
