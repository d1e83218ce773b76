// Algorithms for long messages: p-1 rounds, each rank with one partner to send to and one to receive from.

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

/// Blocks travel round the ring; in round k a rank passes on the block that started k ranks before it.
Schedule allgather_ring(CollectiveCall call) {  // also allgatherv
  co_yield copied(block_of(call, call.me));
  for (CommRank k = 0; k + 1 < call.size; ++k)
    co_yield exchange(around(call.me, -1, call.size), around(call.me, 1, call.size),
                      block_of(call, around(call.me, -k, call.size)));
}

/// Chen and Yuan 2006, as Open MPI: pairs swap blocks, then a rank swaps the two blocks that came last with the
/// neighbour on its other side, in turn: half the rounds of a ring. An odd number of ranks takes the ring.
Schedule allgather_neighbours(CollectiveCall call) {  // also allgatherv
  if (call.size % 2 == 1) {
    auto ring = allgather_ring(call);
    while (const auto step = ring.next()) co_yield *step;
    co_return;
  }
  const CommRank way = call.me % 2 == 0 ? 1 : -1;
  const auto pair = [&](CommRank one) {  // blocks that are handed on together
    return block_of(call, one) + block_of(call, one ^ 1);
  };
  const auto first = around(call.me, way, call.size);
  co_yield copied(block_of(call, call.me));
  co_yield exchange(first, first, block_of(call, call.me));
  for (CommRank k = 1; k < call.size / 2; ++k) {  // what came last: the own pair, then those 2, 2, 4, 4, ... away
    const auto partner = around(call.me, k % 2 == 0 ? way : -way, call.size);
    co_yield exchange(partner, partner, pair(around(call.me & ~1, k % 2 == 0 ? -way * k : way * (k - 1), call.size)));
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
  co_yield copied(call.bytes);
  const auto bytes = [&](CommRank sender, CommRank round) {
    const CommRank block = around(sender, -(round % call.size), call.size);
    return cut_bytes(call.bytes, call.size, block, block + 1);
  };
  for (CommRank k = 0; k < 2 * (call.size - 1); ++k) {
    const auto before = around(call.me, -1, call.size);
    co_yield exchange(before, around(call.me, 1, call.size), bytes(call.me, k));
    if (k + 1 < call.size) co_yield summed(bytes(before, k));
  }
}

/// In round k, send to the partner and receive from the partner at distance k (by XOR where the size is a power of
/// two): one message per rank in the network at a time.
Schedule alltoall_pairwise(CollectiveCall call) {  // also alltoallv
  const bool power = power_below(call.size) == call.size;
  co_yield copied(block_to(call, call.me));
  for (CommRank k = 1; k < call.size; ++k) {
    const CommRank to = power ? call.me ^ k : around(call.me, k, call.size);
    const CommRank from = power ? call.me ^ k : around(call.me, -k, call.size);
    co_yield exchange(from, to, block_to(call, to));
  }
}

/// In round k, send to the rank k further on, and receive from the rank k before.
Schedule alltoall_shift(CollectiveCall call) {  // also alltoallv
  co_yield copied(block_to(call, call.me));
  for (CommRank k = 1; k < call.size; ++k) {
    const auto to = around(call.me, k, call.size);
    co_yield exchange(around(call.me, -k, call.size), to, block_to(call, to));
  }
}

/// Sums travel round the ring: in round k a rank passes on the sum for the rank k + 1 before it, which ends there.
Schedule reduce_scatter_ring(CollectiveCall call) {
  co_yield copied(blocks_in_all(call));
  for (CommRank k = 1; k < call.size; ++k) {
    const auto before = around(call.me, -1, call.size);
    co_yield exchange(before, around(call.me, 1, call.size), block_of(call, around(call.me, -k, call.size)));
    co_yield summed(block_of(call, around(before, -k, call.size)));
  }
  co_yield copied(block_of(call, call.me));
}

/// In round k, hand the rank at distance k its block of the vector.
Schedule reduce_scatter_pairwise(CollectiveCall call) {
  co_yield copied(block_of(call, call.me));
  for (CommRank k = 1; k < call.size; ++k) {
    const CommRank to = around(call.me, k, call.size);
    co_yield exchange(around(call.me, -k, call.size), to, block_of(call, to));
    co_yield summed(block_of(call, call.me));
  }
}

}  // namespace

std::vector<CollectiveAlgorithm> ring_collectives() {
  return {
      {OpKind::bcast, "scatter_ring", "scatter, then ring allgather (van de Geijn)", bcast_scatter_ring},
      {OpKind::allreduce, "ring", "ring reduce-scatter, then ring allgather", allreduce_ring},
      {OpKind::allgather, "ring", "blocks travel round the ring", allgather_ring},
      {OpKind::allgatherv, "ring", "blocks travel round the ring", allgather_ring},
      {OpKind::allgather, "neighbours", "pairs of blocks, swapped with either neighbour in turn", allgather_neighbours},
      {OpKind::allgatherv, "neighbours", "pairs of blocks, swapped with either neighbour in turn",
       allgather_neighbours},
      {OpKind::reduce_scatter, "ring", "sums travel round the ring", reduce_scatter_ring},
      {OpKind::alltoall, "pairwise", "one partner at a time", alltoall_pairwise},
      {OpKind::alltoallv, "pairwise", "one partner at a time", alltoall_pairwise},
      {OpKind::alltoall, "shift", "to the rank k further on in round k", alltoall_shift},
      {OpKind::alltoallv, "shift", "to the rank k further on in round k", alltoall_shift},
      {OpKind::reduce_scatter, "pairwise", "one partner at a time", reduce_scatter_pairwise}};
}

}  // namespace toroid::workloads
