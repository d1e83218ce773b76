// Trees of Open MPI (coll_base_topo.c, release 4.0), and broadcasts and reductions over them. Members are numbered from
// the root on. Trees of 7 members:
//
//   binomial   0: 1 2 4; 1: 3 5; 2: 6    a member's children lie beyond its highest bit
//
//   binary     0: 1 2; 1: 3 5; 2: 4 6    levels of 1, 2, 4, ... members
//
//   chain      0: 1; 1: 2; 2: 3; ...     a pipeline, of segments
//
//   in order   6: 5 2; 5: 4 3; 2: 1 0    sums keep the order of the members; the last one is the root

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {

CommRank segments_of(std::uint64_t bytes, std::uint64_t segment) {
  constexpr std::uint64_t most = 1U << 30U;
  if (segment == 0 || bytes <= segment) return 1;
  return static_cast<CommRank>(std::min((bytes + segment - 1) / segment, most));
}

Schedule down_the_tree(Tree tree, std::uint64_t bytes, CommRank segments) {
  for (CommRank s = 0; s <= segments; ++s) {
    if (tree.parent != no_process && s < segments) co_yield receive(tree.parent);
    for (const auto child : tree.children)
      if (s > 0) co_yield send(child, cut_bytes(bytes, segments, s - 1, s));
    co_yield wait();
  }
}

Schedule up_the_tree(Tree tree, std::uint64_t bytes, CommRank segments) {
  for (CommRank s = 0; s <= segments; ++s) {
    for (const auto child : tree.children)
      if (s < segments) co_yield receive(child);
    if (s > 0) co_yield summed(cut_bytes(bytes, segments, s - 1, s) * tree.children.size());
    if (tree.parent != no_process && s > 0) co_yield send(tree.parent, cut_bytes(bytes, segments, s - 1, s));
    co_yield wait();
  }
}

namespace {

/// A tree of members that are numbered from the root on.
using MakeTree = Tree (*)(CommRank number, CommRank size);

Tree beyond_highest_bit(CommRank number, CommRank size) {
  Tree tree;
  CommRank bit = 1;
  for (; bit <= number; bit *= 2) tree.parent = number - bit;
  for (; number + bit < size; bit *= 2) tree.children.push_back(number + bit);
  return tree;
}

/// On the level of 2^l members, the children of a member are 2^l and 2 * 2^l further on.
Tree binary(CommRank number, CommRank size) {
  const auto level = power_below(number + 1);
  Tree tree;
  if (number > 0) tree.parent = number - level / 2 < level - 1 ? number - level / 2 : number - level;
  for (const auto child : {number + level, number + 2 * level})
    if (child < size) tree.children.push_back(child);
  return tree;
}

Tree chain(CommRank number, CommRank size) {
  Tree tree;
  if (number > 0) tree.parent = number - 1;
  if (number + 1 < size) tree.children.push_back(number + 1);
  return tree;
}

/// The last of the members from `first` on is the root of these; the right half of the others has the lower numbers.
Tree in_order(CommRank number, CommRank size) {
  Tree tree;
  for (CommRank first = 0;;) {
    const auto root = first + size - 1, right = size / 2, left = size - right - 1;
    if (number == root) {
      if (size > 1) tree.children.push_back(root - 1);
      if (left > 0) tree.children.push_back(first + right - 1);
      return tree;
    }
    tree.parent = root;
    if (number < first + right) {
      size = right;
    } else {
      first += right;
      size = left;
    }
  }
}

/// The tree that `make` says, from the root of the call on.
Tree tree_of(const CollectiveCall& call, MakeTree make) {
  auto tree = make(around(call.me, -call.root, call.size), call.size);
  const auto member = [&](CommRank number) { return around(number, call.root, call.size); };
  if (tree.parent != no_process) tree.parent = member(tree.parent);
  for (auto& child : tree.children) child = member(child);
  return tree;
}

template <MakeTree make>
Schedule bcast_down(CollectiveCall call) {
  return down_the_tree(tree_of(call, make), call.bytes, segments_of(call.bytes, call.tuning.segment));
}
template <MakeTree make>
Schedule reduce_up(CollectiveCall call) {
  return up_the_tree(tree_of(call, make), call.bytes, segments_of(call.bytes, call.tuning.segment));
}

/// One half of the message goes down the left side of the binary tree, to odd numbers, the other down the right side;
/// then neighbours on the two sides swap their halves. The last of an even number of members has no neighbour, and gets
/// its second half from the root.
Schedule bcast_split_binary(CollectiveCall call) {
  const auto number = around(call.me, -call.root, call.size);
  const auto tree = tree_of(call, binary);
  const std::array halves{cut_bytes(call.bytes, 2, 0, 1), cut_bytes(call.bytes, 2, 1, 2)};
  const auto member = [&](CommRank other) { return around(other, call.root, call.size); };
  if (number == 0) {
    for (std::size_t side = 0; side < tree.children.size(); ++side) {
      const auto segments = segments_of(halves[side], call.tuning.segment);
      for (CommRank s = 0; s < segments; ++s)
        co_yield send(tree.children[side], cut_bytes(halves[side], segments, s, s + 1));
    }
    if (call.size % 2 == 0) co_yield send(member(call.size - 1), halves[1]);
    co_yield wait();
    co_return;
  }
  const std::size_t side = number % 2 == 1 ? 0 : 1;
  auto down = down_the_tree(tree, halves[side], segments_of(halves[side], call.tuning.segment));
  while (const auto step = down.next()) co_yield *step;
  const auto neighbour = side == 0 ? number + 1 : number - 1;
  if (neighbour == call.size)
    co_yield completed(receive(call.root));
  else
    co_yield exchange(member(neighbour), member(neighbour), halves[side]);
}

/// The tree has the last member as its root, who tells the root of the call.
Schedule reduce_in_order(CollectiveCall call) {
  auto schedule = up_the_tree(in_order(call.me, call.size), call.bytes, segments_of(call.bytes, call.tuning.segment));
  while (const auto step = schedule.next()) co_yield *step;
  const auto last = call.size - 1;
  if (call.root == last) co_return;
  if (call.me == last) co_yield completed(send(call.root, call.bytes));
  if (call.me == call.root) co_yield completed(receive(last));
}

}  // namespace

std::vector<CollectiveAlgorithm> tree_collectives() {
  std::vector<CollectiveAlgorithm> all{
      {OpKind::bcast, "openmpi_binomial", "binomial tree of Open MPI, to all children at once",
       bcast_down<beyond_highest_bit>},
      {OpKind::bcast, "binary", "tree of two children each", bcast_down<binary>},
      {OpKind::bcast, "chain", "from each rank to the next", bcast_down<chain>},
      {OpKind::bcast, "split_binary", "half of the message down each side of a tree of two children, then swapped",
       bcast_split_binary},
      {OpKind::reduce, "binary", "tree of two children each", reduce_up<binary>},
      {OpKind::reduce, "chain", "from each rank to the one before", reduce_up<chain>},
      {OpKind::reduce, "in_order", "tree of two children each that keeps the ranks' order", reduce_in_order}};
  for (auto& algorithm : all) algorithm.takes = CollectiveAlgorithm::Takes::segment;
  return all;
}

}  // namespace toroid::workloads
