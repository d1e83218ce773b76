// Binomial trees. Ranks are counted from the root (`relative`); the parent of a rank is the rank without its lowest set
// bit, its subtree the ranks up to that bit further on. ceil(log2 p) rounds.

#include "workloads/collectives/algorithms.hpp"
#include "workloads/collectives/blocks.hpp"

namespace toroid::workloads::algorithms {
namespace {

/// The lowest set bit of a relative rank: the size of its subtree. For the root, a power of two >= size.
Rank subtree(Rank relative, Rank size) {
  Rank mask = 1;
  while (mask < size && (relative & mask) == 0) mask *= 2;
  return mask;
}

/// Ranks in the subtree of width `mask` at `relative`, cut at the end of the communicator.
std::uint64_t members(Rank relative, Rank mask, Rank size) {
  return static_cast<std::uint64_t>(std::min(mask, size - relative));
}

}  // namespace

Schedule bcast_binomial(CollectiveCall call) {
  const Rank relative = around(call.me, -call.root, call.size);
  const Rank mask = subtree(relative, call.size);
  if (relative != 0) {
    co_yield receive(around(call.me, -mask, call.size));
    co_yield wait();
  }
  for (Rank child = mask / 2; child > 0; child /= 2) {
    if (relative + child >= call.size) continue;
    co_yield send(around(call.me, child, call.size), call.bytes);
    co_yield wait();
  }
}

Schedule reduce_binomial(CollectiveCall call) {
  const Rank relative = around(call.me, -call.root, call.size);
  const Rank mask = subtree(relative, call.size);
  for (Rank child = 1; child < mask && relative + child < call.size; child *= 2) {
    co_yield receive(around(call.me, child, call.size));
    co_yield wait();
  }
  if (relative != 0) {
    co_yield send(around(call.me, -mask, call.size), call.bytes);
    co_yield wait();
  }
}

/// As reduce, but what is sent up grows: a rank forwards the blocks of its whole subtree.
Schedule gather_binomial(CollectiveCall call) {
  const Rank relative = around(call.me, -call.root, call.size);
  const Rank mask = subtree(relative, call.size);
  for (Rank child = 1; child < mask && relative + child < call.size; child *= 2) {
    co_yield receive(around(call.me, child, call.size));
    co_yield wait();
  }
  if (relative != 0) {
    co_yield send(around(call.me, -mask, call.size), call.bytes * members(relative, mask, call.size));
    co_yield wait();
  }
}

Schedule scatter_binomial(CollectiveCall call) {
  const Rank relative = around(call.me, -call.root, call.size);
  const Rank mask = subtree(relative, call.size);
  if (relative != 0) {
    co_yield receive(around(call.me, -mask, call.size));
    co_yield wait();
  }
  for (Rank child = mask / 2; child > 0; child /= 2) {
    if (relative + child >= call.size) continue;
    co_yield send(around(call.me, child, call.size), call.bytes * members(relative + child, child, call.size));
    co_yield wait();
  }
}

}  // namespace toroid::workloads::algorithms
