// Binomial trees. Ranks are counted from the root (`relative`); the parent of a rank is the rank without its lowest set
// bit, its subtree the ranks up to that bit further on. ceil(log2 p) rounds.

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
template <bool whole_subtrees>
Schedule up(CollectiveCall call) {
  const CommRank relative = around(call.me, -call.root, call.size);
  const CommRank mask = subtree(relative, call.size);
  const bool is_leaf = mask == 1 || relative + 1 >= call.size;
  if (whole_subtrees && !is_leaf) co_yield copied(call.bytes);
  for (CommRank child = 1; child < mask && relative + child < call.size; child *= 2) {
    co_yield completed(receive(around(call.me, child, call.size)));
    if (!whole_subtrees) co_yield summed(call.bytes);
  }
  if (relative == 0) co_return;
  const auto blocks = whole_subtrees ? members(relative, mask, call.size) : 1;
  co_yield completed(send(around(call.me, -mask, call.size), call.bytes * blocks));
}

/// Goes from the root to the leaves, the largest subtree first.
template <bool whole_subtrees>
Schedule down(CollectiveCall call) {
  const CommRank relative = around(call.me, -call.root, call.size);
  const CommRank mask = subtree(relative, call.size);
  if (relative != 0) co_yield completed(receive(around(call.me, -mask, call.size)));
  for (CommRank child = mask / 2; child > 0; child /= 2) {
    if (relative + child >= call.size) continue;
    const auto blocks = whole_subtrees ? members(relative + child, child, call.size) : 1;
    co_yield completed(send(around(call.me, child, call.size), call.bytes * blocks));
  }
  if (whole_subtrees && mask > 1) co_yield copied(call.bytes);
}

/// A member waits for one child after the other; in segments, for all children at once, while the sum of the segments
/// before these goes up.
Schedule reduce_binomial(CollectiveCall call) {
  if (call.tuning.segment == 0) return up<false>(call);
  const CommRank relative = around(call.me, -call.root, call.size);
  const CommRank mask = subtree(relative, call.size);
  Tree tree;
  if (relative > 0) tree.parent = around(call.me, -mask, call.size);
  for (CommRank child = 1; child < mask && relative + child < call.size; child *= 2)
    tree.children.push_back(around(call.me, child, call.size));
  return up_the_tree(std::move(tree), call.bytes, segments_of(call.bytes, call.tuning.segment));
}

}  // namespace

std::vector<CollectiveAlgorithm> binomial_collectives() {
  return {{OpKind::bcast, "binomial", "binomial tree", down<false>},
          {OpKind::reduce, "binomial", "binomial tree", reduce_binomial, false, nullptr,
           CollectiveAlgorithm::Takes::segment},
          {OpKind::gather, "binomial", "binomial tree", up<true>},
          {OpKind::scatter, "binomial", "binomial tree", down<true>}};
}

}  // namespace toroid::workloads
