// Binomial trees. Ranks are counted from the root (`relative`); the parent of a rank is the rank without its lowest set
// bit, its subtree the ranks up to that bit further on. ceil(log2 p) rounds.

#include "workloads/collectives/blocks.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

/// The lowest set bit of a relative rank: the size of its subtree. For the root, a power of two >= size.
CommRank subtree(CommRank relative, CommRank size) {
  CommRank mask = 1;
  while (mask < size && (relative & mask) == 0) mask *= 2;
  return mask;
}

/// Ranks in the subtree of width `mask` at `relative`, cut at the end of the communicator.
std::uint64_t members(CommRank relative, CommRank mask, CommRank size) {
  return static_cast<std::uint64_t>(std::min(mask, size - relative));
}

/// Goes from the leaves to the root. With `whole_subtrees` a rank forwards a block for each rank below it, else one.
Schedule up(CollectiveCall call, bool whole_subtrees) {
  const CommRank relative = around(call.me, -call.root, call.size);
  const CommRank mask = subtree(relative, call.size);
  for (CommRank child = 1; child < mask && relative + child < call.size; child *= 2) {
    co_yield receive(around(call.me, child, call.size));
    co_yield wait();
  }
  if (relative == 0) co_return;
  co_yield send(around(call.me, -mask, call.size),
                call.bytes * (whole_subtrees ? members(relative, mask, call.size) : 1));
  co_yield wait();
}

/// Goes from the root to the leaves, the largest subtree first.
Schedule down(CollectiveCall call, bool whole_subtrees) {
  const CommRank relative = around(call.me, -call.root, call.size);
  const CommRank mask = subtree(relative, call.size);
  if (relative != 0) {
    co_yield receive(around(call.me, -mask, call.size));
    co_yield wait();
  }
  for (CommRank child = mask / 2; child > 0; child /= 2) {
    if (relative + child >= call.size) continue;
    const auto blocks = whole_subtrees ? members(relative + child, child, call.size) : 1;
    co_yield send(around(call.me, child, call.size), call.bytes * blocks);
    co_yield wait();
  }
}

Schedule bcast_binomial(CollectiveCall call) {
  return down(call, false);
}

Schedule scatter_binomial(CollectiveCall call) {
  return down(call, true);
}

Schedule reduce_binomial(CollectiveCall call) {
  return up(call, false);
}

Schedule gather_binomial(CollectiveCall call) {
  return up(call, true);
}

}  // namespace

std::vector<CollectiveAlgorithm> binomial_collectives() {
  return {{OpKind::bcast, "binomial", "binomial tree", bcast_binomial},
          {OpKind::reduce, "binomial", "binomial tree", reduce_binomial},
          {OpKind::gather, "binomial", "binomial tree", gather_binomial},
          {OpKind::scatter, "binomial", "binomial tree", scatter_binomial}};
}

}  // namespace toroid::workloads
