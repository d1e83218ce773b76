// Algorithms whose partners are at distances 1, 2, 4, ...: ceil(log2 p) rounds.
// Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005.

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

/// Recursive halving and doubling need a power of two. Of the first 2r ranks, r = size - power, the even ones hand
/// their vector to the odd one above and wait for the result; the others are renumbered 0 .. power-1.
struct Fold {
  CommRank power, extra;
  explicit Fold(CommRank size) : power(power_below(size)), extra(size - power) {}
  bool is_folded(CommRank me) const { return me < 2 * extra && me % 2 == 0; }
  bool has_folded(CommRank me) const { return me < 2 * extra && me % 2 == 1; }
  CommRank number(CommRank me) const { return me < 2 * extra ? me / 2 : me - extra; }
  CommRank rank(CommRank number) const { return number < extra ? 2 * number + 1 : number + extra; }
};

/// A sum, or blocks of one, among a power of two of ranks, with the others folded in before and told theirs after.
Schedule folded(CollectiveCall call, Schedule (*among_power)(CollectiveCall, Fold)) {
  const Fold fold(call.size);
  const bool is_scattered = call.kind == OpKind::reduce_scatter;
  const auto whole = is_scattered ? blocks_in_all(call) : call.bytes;
  if (fold.is_folded(call.me)) {
    co_yield completed(send(call.me + 1, whole));
    co_yield completed(receive(call.me + 1));
    co_return;
  }
  co_yield copied(whole);
  if (fold.has_folded(call.me)) {
    co_yield completed(receive(call.me - 1));
    co_yield summed(whole);
  }
  auto schedule = among_power(call, fold);
  while (const auto step = schedule.next()) co_yield *step;
  if (fold.has_folded(call.me))
    co_yield completed(send(call.me - 1, is_scattered ? block_of(call, call.me - 1) : call.bytes));
  if (is_scattered) co_yield copied(block_of(call, call.me));
}

Schedule swap_vectors(CollectiveCall call, Fold fold) {
  for (CommRank mask = 1; mask < fold.power; mask *= 2) {
    const CommRank partner = fold.rank(fold.number(call.me) ^ mask);
    co_yield exchange(partner, partner, call.bytes);
    co_yield summed(call.bytes);
  }
}

/// Reduce-scatter by recursive halving, then allgather by recursive doubling: 2 (p-1)/p vectors sent per rank.
Schedule halve_and_double(CollectiveCall call, Fold fold) {
  const CommRank number = fold.number(call.me);
  CommRank low = 0, high = fold.power;  // the blocks this rank is responsible for
  for (CommRank mask = fold.power / 2; mask > 0; mask /= 2) {
    const CommRank partner = fold.rank(number ^ mask);
    const CommRank middle = (low + high) / 2;
    const bool upper = (number & mask) != 0;
    co_yield exchange(
        partner, partner,
        upper ? cut_bytes(call.bytes, fold.power, low, middle) : cut_bytes(call.bytes, fold.power, middle, high));
    (upper ? low : high) = middle;
    co_yield summed(cut_bytes(call.bytes, fold.power, low, high));
  }
  for (CommRank mask = 1; mask < fold.power; mask *= 2) {
    const CommRank partner = fold.rank(number ^ mask);
    co_yield exchange(partner, partner, cut_bytes(call.bytes, fold.power, low, high));
    if ((number & mask) != 0)
      low -= mask;
    else
      high += mask;
  }
}

/// Halves of what is left of the vector, as the first half of Rabenseifner's allreduce.
Schedule halve_blocks(CollectiveCall call, Fold fold) {
  const auto of_numbers = [&](CommRank first, CommRank last) {
    std::uint64_t bytes = 0;
    for (auto number = first; number < last; ++number) {
      const auto rank = fold.rank(number);
      bytes += block_of(call, rank) + (fold.has_folded(rank) ? block_of(call, rank - 1) : 0);
    }
    return bytes;
  };
  const auto number = fold.number(call.me);
  for (CommRank mask = fold.power / 2; mask > 0; mask /= 2) {
    const auto partner = fold.rank(number ^ mask), first = (number ^ mask) & -mask;
    co_yield exchange(partner, partner, of_numbers(first, first + mask));
    const auto kept = number & -mask;
    co_yield summed(of_numbers(kept, kept + mask));
  }
}

Schedule allreduce_recursive_doubling(CollectiveCall call) {
  return folded(call, swap_vectors);
}
Schedule allreduce_rabenseifner(CollectiveCall call) {
  return folded(call, halve_and_double);
}
Schedule reduce_scatter_halving(CollectiveCall call) {
  return folded(call, halve_blocks);
}

/// Hensgen, Finkel, Manber 1988: in round k each rank signals the rank 2^k further on.
Schedule barrier_dissemination(CollectiveCall call) {
  for (CommRank distance = 1; distance < call.size; distance *= 2)
    co_yield exchange(around(call.me, -distance, call.size), around(call.me, distance, call.size), 0);
}

/// Bruck et al. 1997: after the round at distance d a rank holds the blocks of the 2d ranks from itself on; any size.
/// In the end all blocks are turned to their places by way of another buffer, but for rank 0, where they are there.
Schedule allgather_bruck(CollectiveCall call) {  // also allgatherv
  co_yield copied(block_of(call, call.me));
  for (CommRank distance = 1; distance < call.size; distance *= 2) {
    std::uint64_t held = 0;
    for (CommRank k = 0; k < std::min(distance, call.size - distance); ++k)
      held += block_of(call, around(call.me, k, call.size));
    co_yield exchange(around(call.me, distance, call.size), around(call.me, -distance, call.size), held);
  }
  if (call.me > 0) co_yield copied(2 * blocks_in_all(call));
}

/// Partners differ in one bit and swap all they hold. Needs a power of two; Bruck's algorithm serves other sizes.
Schedule allgather_recursive_doubling(CollectiveCall call) {
  if (power_below(call.size) != call.size) {
    auto bruck = allgather_bruck(call);
    while (const auto step = bruck.next()) co_yield *step;
    co_return;
  }
  co_yield copied(call.bytes);
  for (CommRank mask = 1; mask < call.size; mask *= 2)
    co_yield exchange(call.me ^ mask, call.me ^ mask, call.bytes * static_cast<std::uint64_t>(mask));
}

/// Bruck et al. 1997: in the round of bit d, every block whose distance to its destination has that bit moves d ranks
/// on. Blocks are packed before, unpacked after, and turned at the beginning and at the end.
Schedule alltoall_bruck(CollectiveCall call) {
  co_yield copied(blocks_in_all(call));
  for (CommRank distance = 1; distance < call.size; distance *= 2) {
    std::uint64_t moving = 0;
    for (CommRank k = 1; k < call.size; ++k)
      if ((k & distance) != 0) ++moving;
    co_yield copied(moving * call.bytes);
    co_yield exchange(around(call.me, -distance, call.size), around(call.me, distance, call.size), moving * call.bytes);
    co_yield copied(moving * call.bytes);
  }
  co_yield copied(blocks_in_all(call));
}

/// Partners differ in one bit and swap partial sums. Also exscan, whose result begins with the first from below.
Schedule scan_recursive_doubling(CollectiveCall call) {
  bool has_result = call.kind == OpKind::scan;
  for (CommRank mask = 1; mask < call.size; mask *= 2) {
    const CommRank partner = call.me ^ mask;
    if (partner >= call.size) continue;
    co_yield exchange(partner, partner, call.bytes);
    co_yield summed(call.bytes);
    if (partner > call.me) continue;
    if (std::exchange(has_result, true)) co_yield summed(call.bytes);  // its own result sums lower ranks alone
  }
}

/// MPICH's for sums that must not be put in another order: in the round of a bit a rank and its partner, as subtrees of
/// so many ranks, have summed up their subtree's vectors, and swap these but for the subtree's own blocks. Where the
/// partner does not exist, a rank gets what it lacks from others of its own subtree, down a binomial tree.
Schedule reduce_scatter_recursive_doubling(CollectiveCall call) {
  const auto but_those_of = [&](CommRank root, CommRank ranks) {
    std::uint64_t bytes = 0;
    for (CommRank r = 0; r < call.size; ++r)
      if (r < root || r >= root + ranks) bytes += block_of(call, r);
    return bytes;
  };
  for (CommRank mask = 1; mask < call.size; mask *= 2) {
    const CommRank partner = call.me ^ mask, mine = call.me & -mask, theirs = partner & -mask;
    if (partner < call.size) {
      co_yield exchange(partner, partner, but_those_of(mine, mask));
      co_yield summed(but_those_of(theirs, mask));
    }
    const CommRank served = call.size - theirs;  // the first members of the subtree, so many, have a partner
    if (served >= mask || served <= 0) continue;
    for (CommRank step = mask / 2; step > 0; step /= 2) {
      const CommRank other = call.me ^ step, tree = call.me & -(2 * step);
      const auto has_it = [&](CommRank rank) { return rank < tree + served; };
      if (other > call.me && has_it(call.me) && !has_it(other)) {
        co_yield completed(send(other, but_those_of(theirs, mask)));
      } else if (other < call.me && has_it(other) && !has_it(call.me)) {
        co_yield completed(receive(other));
        co_yield summed(but_those_of(theirs, mask));
      }
    }
  }
}

}  // namespace

std::vector<CollectiveAlgorithm> doubling_collectives() {
  return {{OpKind::barrier, "dissemination", "signal ranks 1, 2, 4, ... further on", barrier_dissemination},
          {OpKind::allreduce, "recursive_doubling", "swap vectors with ranks 1, 2, 4, ... away",
           allreduce_recursive_doubling},
          {OpKind::allreduce, "rabenseifner", "recursive halving, then doubling", allreduce_rabenseifner},
          {OpKind::allgather, "recursive_doubling", "swap blocks with ranks 1, 2, 4, ... away",
           allgather_recursive_doubling},
          {OpKind::allgather, "bruck", "blocks from ranks 1, 2, 4, ... further on", allgather_bruck},
          {OpKind::allgatherv, "bruck", "blocks from ranks 1, 2, 4, ... further on", allgather_bruck},
          {OpKind::alltoall, "bruck", "log2(p) rounds of packed blocks", alltoall_bruck},
          {OpKind::reduce_scatter, "recursive_doubling", "swap sums with ranks 1, 2, 4, ... away",
           reduce_scatter_recursive_doubling},
          {OpKind::reduce_scatter, "recursive_halving", "halves of what is left, with ranks p/2, p/4, ... away",
           reduce_scatter_halving},
          {OpKind::scan, "recursive_doubling", "swap with ranks 1, 2, 4, ... away", scan_recursive_doubling},
          {OpKind::exscan, "recursive_doubling", "swap with ranks 1, 2, 4, ... away", scan_recursive_doubling}};
}

}  // namespace toroid::workloads
