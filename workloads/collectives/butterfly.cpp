// Collectives that are made of butterflies (butterfly.hpp), and of the trees that lie in these.

#include <bit>

#include "workloads/collectives/butterfly.hpp"

namespace toroid::workloads {
namespace {

/// What the members have of the calling lane's part of the data.
class Part {
 public:
  Part(const CollectiveCall& call, ButterflyPattern pattern) : call_(call), ports_(ports_of(call, pattern)) {}

  /// Without ports: two for each axis of a grid, else one.
  static CommRank ports_of(const CollectiveCall& call, ButterflyPattern pattern) {
    if (call.tuning.ports > 0) return call.tuning.ports;
    return call.grid == nullptr ? 1 : std::max(2 * Butterfly::axes_of(call, pattern), 1);
  }

  std::uint64_t of(std::uint64_t bytes) const { return cut_bytes(bytes, ports_, call_.lane, call_.lane + 1); }
  std::uint64_t vector() const { return of(call_.bytes); }
  std::uint64_t block(CommRank member) const { return of(block_of(call_, member)); }
  /// What a copy of all blocks takes of the core: each port has a thread, and these copy at the same time.
  std::uint64_t copied_in_turn() const { return of(blocks_in_all(call_)) / static_cast<std::uint64_t>(ports_); }
  bool has_equal_blocks() const { return call_.recv_counts.empty(); }

  /// All blocks, but for that of a member.
  std::uint64_t others(CommRank member) const {
    if (has_equal_blocks()) return of(call_.bytes) * static_cast<std::uint64_t>(call_.size - 1);
    std::uint64_t sum = 0;
    for (CommRank other = 0; other < call_.size; ++other) sum += other == member ? 0 : block(other);
    return sum;
  }

 private:
  const CollectiveCall call_;
  CommRank ports_;
};

/// A butterfly, and what its members have: blocks of their own, and those of the members that are folded into them.
struct Blocks {
  Blocks(const CollectiveCall& of_call, ButterflyPattern pattern)
      : call(of_call), butterfly(of_call, pattern), part(of_call, pattern) {}

  std::uint64_t of(CommRank number) const {
    if (call.kind == OpKind::allreduce) return cut_bytes(part.vector(), butterfly.core(), number, number + 1);
    const auto folded = butterfly.folded_into(number);
    return part.block(butterfly.member(number)) + (folded == no_process ? 0 : part.block(folded));
  }
  /// The blocks of all that come together with `number` after a step, but not with `other`.
  std::uint64_t after(std::size_t step, CommRank number, CommRank other) const {
    if (butterfly.doubles() && are_alike()) return of(number) << (butterfly.steps() - step - 1);
    const auto those = butterfly.together(number, step + 1), not_those = butterfly.together(other, step + 1);
    std::vector<CommRank> all;
    std::ranges::set_difference(those, not_those, std::back_inserter(all));
    std::uint64_t sum = 0;
    for (const auto one : all) sum += of(one);
    return sum;
  }

  bool are_alike() const {
    const auto core = static_cast<std::uint64_t>(butterfly.core());
    if (call.kind == OpKind::allreduce) return part.vector() % core == 0;
    return call.recv_counts.empty() && butterfly.core() == call.size;
  }

  CollectiveCall call;
  Butterfly butterfly;
  Part part;
};

/// Partners swap all of the vector: few rounds, for short ones.
Schedule swap_all(const Blocks& blocks) {
  const auto& butterfly = blocks.butterfly;
  for (std::size_t step = 0; step < butterfly.steps(); ++step) {
    const auto peer = butterfly.member(butterfly.partner(butterfly.me(), step));
    co_yield exchange(peer, peer, blocks.part.vector());
    co_yield summed(blocks.part.vector());
  }
}

/// In each step a member hands its partner the blocks of the partner and of all whom only the partner meets later.
Schedule halve(const Blocks& blocks) {
  const auto& butterfly = blocks.butterfly;
  for (std::size_t step = 0; step < butterfly.steps(); ++step) {
    const auto partner = butterfly.partner(butterfly.me(), step);
    const auto peer = butterfly.member(partner);
    co_yield exchange(peer, peer, blocks.after(step, partner, butterfly.me()));
    co_yield summed(blocks.after(step, butterfly.me(), partner));
  }
}

/// The way back: in each step a member hands its partner all blocks that it has, and the partner has not.
Schedule collect(const Blocks& blocks) {
  const auto& butterfly = blocks.butterfly;
  for (auto step = butterfly.steps(); step-- > 0;) {
    const auto partner = butterfly.partner(butterfly.me(), step);
    const auto peer = butterfly.member(partner);
    co_yield exchange(peer, peer, blocks.after(step, butterfly.me(), partner));
  }
}

Schedule halve_and_collect(const Blocks& blocks) {
  auto first = halve(blocks);
  while (const auto step = first.next()) co_yield *step;
  auto second = collect(blocks);
  while (const auto step = second.next()) co_yield *step;
}

bool is_gathering(OpKind kind) {
  return kind == OpKind::allgather || kind == OpKind::allgatherv;
}

/// What a member that is folded in hands on before, and what it is told after.
struct Folded {
  std::uint64_t in, out;
};
Folded folded_bytes(const Blocks& blocks, CommRank folded) {
  const auto& part = blocks.part;
  if (blocks.call.kind == OpKind::allreduce) return {part.vector(), part.vector()};
  if (blocks.call.kind != OpKind::reduce_scatter) return {part.block(folded), part.others(folded)};
  return {part.others(folded) + part.block(folded), part.block(folded)};
}

/// An exchange of all with all, of which `among` is the part of those that are partners.
Schedule exchange_all(CollectiveCall call, ButterflyPattern pattern, Schedule (*among)(const Blocks&)) {
  const Blocks blocks(call, pattern);
  const auto& butterfly = blocks.butterfly;
  const auto me = butterfly.me();
  if (me >= butterfly.core()) {
    const auto peer = butterfly.member(me - butterfly.core());
    const auto bytes = folded_bytes(blocks, call.me);
    co_yield completed(send(peer, bytes.in));
    co_yield completed(receive(peer));
    co_return;
  }
  const auto folded = butterfly.folded_into(me);
  if (folded != no_process) {
    co_yield completed(receive(folded));
    if (!is_gathering(call.kind)) co_yield summed(folded_bytes(blocks, folded).in);
  }
  if (call.kind == OpKind::reduce_scatter) co_yield copied(blocks.part.copied_in_turn());
  auto steps = among(blocks);
  while (const auto step = steps.next()) co_yield *step;
  const bool is_in_order = pattern == ButterflyPattern::hypercube;  // blocks come to their places by themselves
  if (is_gathering(call.kind) && !is_in_order) co_yield copied(blocks.part.copied_in_turn());
  if (folded != no_process) co_yield completed(send(folded, folded_bytes(blocks, folded).out));
}

/// The tree in which the steps of a butterfly, the last one first, bring something from number 0 to all others. In its
/// order the i-th member that is reached has the children i + 2^k that are later than itself, as in a binomial tree.
class ButterflyTree {
 public:
  ButterflyTree(const CollectiveCall& call, ButterflyPattern pattern)
      : call_(call), butterfly_(call, pattern), part_(call, pattern), reached_{0} {
    for (auto step = butterfly_.steps(); step-- > 0;)
      for (std::size_t i = 0, known = reached_.size(); i < known; ++i)
        reached_.push_back(butterfly_.partner(reached_[i], step));
    const auto me = butterfly_.me();
    is_folded_ = me >= butterfly_.core();
    const auto number = is_folded_ ? me - butterfly_.core() : me;
    at_ = static_cast<std::size_t>(std::ranges::find(reached_, number) - reached_.begin());
  }

  const Part& part() const { return part_; }
  /// The calling member's place, with the nearest child last, and the one that is folded into it after that.
  Tree tree() const {
    if (is_folded_) return {member(at_), {}};
    Tree tree;
    if (at_ > 0) tree.parent = member(at_ - std::bit_floor(at_));
    for (auto child = first_bit(at_); at_ + child < reached_.size(); child *= 2)
      tree.children.push_back(member(at_ + child));
    if (folded(at_) != no_process) tree.children.push_back(folded(at_));
    return tree;
  }
  /// Blocks of the calling member and all below it, and of its child of that number and all below that.
  std::uint64_t of_subtree() const { return is_folded_ ? part_.block(call_.me) : of_subtree(at_); }
  std::uint64_t of_child(std::size_t child) const {
    const auto below = at_ + (first_bit(at_) << child);
    return below < reached_.size() ? of_subtree(below) : part_.block(folded(at_));
  }

 private:
  /// The bit of the nearest child in the order in which members are reached.
  static std::size_t first_bit(std::size_t at) { return at == 0 ? 1 : 2 * std::bit_floor(at); }
  CommRank member(std::size_t at) const { return butterfly_.member(reached_[at]); }
  CommRank folded(std::size_t at) const { return butterfly_.folded_into(reached_[at]); }
  std::uint64_t of_subtree(std::size_t at) const {
    std::uint64_t sum = 0;
    for (auto below = at; below < reached_.size(); below += first_bit(at)) {
      sum += part_.block(member(below));
      if (folded(below) != no_process) sum += part_.block(folded(below));
    }
    return sum;
  }

  CollectiveCall call_;
  Butterfly butterfly_;
  Part part_;
  std::vector<CommRank> reached_;  ///< numbers, in the order in which they are reached
  bool is_folded_ = false;
  std::size_t at_ = 0;  ///< where the calling member, or the one that it is folded into, is among them
};

template <Schedule (*along)(Tree, std::uint64_t bytes, CommRank segments)>
Schedule vector_tree(CollectiveCall call, ButterflyPattern pattern) {
  const ButterflyTree tree(call, pattern);
  const auto bytes = tree.part().vector();
  return along(tree.tree(), bytes, segments_of(bytes, call.tuning.segment));
}
/// The nearest children, whose subtrees are small, come first.
Schedule gather_tree(CollectiveCall call, ButterflyPattern pattern) {
  const ButterflyTree tree(call, pattern);
  const auto [parent, children] = tree.tree();
  for (auto child = children.size(); child-- > 0;) co_yield completed(receive(children[child]));
  if (parent != no_process) co_yield completed(send(parent, tree.of_subtree()));
}
Schedule scatter_tree(CollectiveCall call, ButterflyPattern pattern) {
  const ButterflyTree tree(call, pattern);
  const auto [parent, children] = tree.tree();
  if (parent != no_process) co_yield completed(receive(parent));
  for (std::size_t child = 0; child < children.size(); ++child)
    co_yield completed(send(children[child], tree.of_child(child)));
}

template <ButterflyPattern pattern>
CollectiveAlgorithm entry(OpKind kind, std::string_view name, std::string_view help, Schedule (*run)(CollectiveCall)) {
  using Takes = CollectiveAlgorithm::Takes;
  const bool is_cut = kind == OpKind::bcast || kind == OpKind::reduce;
  const auto lanes = [](const CollectiveCall& call) { return Part::ports_of(call, pattern); };
  return {kind, name, help, run, true, lanes, is_cut ? Takes::both : Takes::ports};
}

template <ButterflyPattern pattern, Schedule (*tree)(CollectiveCall, ButterflyPattern)>
CollectiveAlgorithm over_tree(OpKind kind, std::string_view name, std::string_view help) {
  return entry<pattern>(kind, name, help, [](CollectiveCall call) { return tree(call, pattern); });
}
template <ButterflyPattern pattern, Schedule (*among)(const Blocks&)>
CollectiveAlgorithm over_all(OpKind kind, std::string_view name, std::string_view help) {
  return entry<pattern>(kind, name, help, [](CollectiveCall call) { return exchange_all(call, pattern, among); });
}

}  // namespace

std::vector<CollectiveAlgorithm> butterfly_collectives() {
  using enum OpKind;
  using enum ButterflyPattern;
  const auto bine_tree = "Bine tree along the axes of the members' grid";
  const auto bine_halving = "Bine's halves of what is left, with ranks 1, -1, 3, -5, ... away along the axes";
  const auto cube_halving = "halves of what is left, with ranks 1, 2, 4, ... away along the axes";
  return {over_tree<bine, vector_tree<down_the_tree>>(bcast, "bine", bine_tree),
          over_tree<bine, vector_tree<up_the_tree>>(reduce, "bine", bine_tree),
          over_tree<bine, gather_tree>(gather, "bine", bine_tree),
          over_tree<bine, scatter_tree>(scatter, "bine", bine_tree),
          over_all<bine, swap_all>(allreduce, "swing",
                                   "swap vectors with ranks 1, -1, 3, -5, ... away along the axes (Swing, Bine)"),
          over_all<bine_halves, halve_and_collect>(allreduce, "swing_halving",
                                                   "as swing, with halves of what is left, and back (Swing, Bine)"),
          over_all<hypercube, swap_all>(allreduce, "cube", "swap vectors with ranks 1, 2, 4, ... away along the axes"),
          over_all<hypercube, halve_and_collect>(allreduce, "cube_halving",
                                                 "as cube, with halves of what is left, and back"),
          over_all<bine_halves, halve>(reduce_scatter, "bine", bine_halving),
          over_all<hypercube, halve>(reduce_scatter, "cube", cube_halving),
          over_all<bine_halves, collect>(allgather, "bine", bine_halving),
          over_all<bine_halves, collect>(allgatherv, "bine", bine_halving),
          over_all<hypercube, collect>(allgather, "cube", cube_halving),
          over_all<hypercube, collect>(allgatherv, "cube", cube_halving)};
}

}  // namespace toroid::workloads
