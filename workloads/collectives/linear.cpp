// Linear algorithms: every message goes straight from its origin to its destination, all at once or in turn; and those
// that are made of others, one after the other.

#include "core/random.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

Schedule bcast_linear(CollectiveCall call) {
  if (call.me == call.root) {
    for (CommRank r = 0; r < call.size; ++r)
      if (r != call.root) co_yield send(r, call.bytes);
  } else {
    co_yield receive(call.root);
  }
  co_yield wait();
}

template <bool is_in_turn = false>
Schedule gather_linear(CollectiveCall call) {  // also gatherv and reduce
  if (call.me == call.root) {
    for (CommRank r = 0; r < call.size; ++r) {
      if (r == call.root) continue;
      co_yield receive(r);
      if (is_in_turn) co_yield wait();
    }
    if (call.kind != OpKind::reduce) co_yield copied(call.bytes);
  } else {
    co_yield send(call.root, call.bytes);
  }
  co_yield wait();
  if (call.kind == OpKind::reduce && call.me == call.root)
    co_yield summed(call.bytes * static_cast<std::uint64_t>(call.size - 1));
}

/// Open MPI's: the root asks one rank after the other for the first segment of its block, and takes the rests together.
/// (There, the rests begin while the root asks the next ones.)
Schedule gather_linear_sync(CollectiveCall call) {
  const auto first = call.tuning.segment == 0 ? call.bytes : std::min(call.tuning.segment, call.bytes);
  const auto rest = call.bytes - first;
  if (call.me != call.root) {
    co_yield completed(receive(call.root));
    co_yield send(call.root, first);
    if (rest > 0) co_yield send(call.root, rest);
    co_yield wait();
    co_return;
  }
  for (CommRank r = 0; r < call.size; ++r) {
    if (r == call.root) continue;
    co_yield receive(r);
    co_yield completed(send(r, 0));
  }
  for (CommRank r = 0; r < call.size && rest > 0; ++r)
    if (r != call.root) co_yield receive(r);
  co_yield copied(call.bytes);
  co_yield wait();
}

/// Collectives one after the other, as parts of another.
Schedule in_turn(const CollectiveChoice& choice, std::vector<CollectiveCall> parts) {
  for (auto& part : parts) {
    part.tuning = choice.tuning(part);
    auto schedule = choice.choose(part).run(part);
    while (const auto step = schedule.next()) co_yield *step;
  }
}

const CollectiveChoice& openmpi() {
  static const auto rule = CollectiveChoice::parse("openmpi");
  return rule;
}

/// What `smpi` makes an all-reduce and a reduce-scatter of.
const CollectiveChoice& linear_parts() {
  static const auto parts = CollectiveChoice::parse("default:reduce=linear,bcast=binomial,scatterv=linear");
  return parts;
}

CollectiveCall from_0(CollectiveCall call, OpKind kind) {
  call.kind = kind;
  call.root = 0;
  return call;
}

template <const CollectiveChoice& (*choice)()>
Schedule allreduce_by_bcast(CollectiveCall call) {
  return in_turn(choice(), {from_0(call, OpKind::reduce), from_0(call, OpKind::bcast)});
}

/// A reduction of the whole vector to rank 0, which scatters it.
template <const CollectiveChoice& (*choice)()>
Schedule reduce_scatter_by_scatter(CollectiveCall call) {
  auto whole = from_0(call, OpKind::reduce), blocks = from_0(call, OpKind::scatterv);
  whole.bytes = blocks_in_all(call);
  blocks.bytes = block_of(call, call.me);
  blocks.send_counts = call.recv_counts;
  return in_turn(choice(), {whole, blocks});
}

/// A gather to rank 0, then a broadcast of all blocks from there.
Schedule allgather_gather_bcast(CollectiveCall call) {
  auto all = from_0(call, OpKind::bcast);
  all.bytes *= static_cast<std::uint64_t>(call.size);
  return in_turn(openmpi(), {from_0(call, OpKind::gather), all});
}

template <bool is_in_turn = false>
Schedule scatter_linear(CollectiveCall call) {  // also scatterv
  if (call.me == call.root) {
    for (CommRank r = 0; r < call.size; ++r) {
      if (r == call.root) continue;
      co_yield send(r, block_to(call, r));
      if (is_in_turn) co_yield wait();
    }
    co_yield copied(block_to(call, call.me));
  } else {
    co_yield receive(call.root);
  }
  co_yield wait();
}

/// All report to rank 0, which then releases all.
Schedule barrier_linear(CollectiveCall call) {
  for (CommRank r = 1; r < call.size && call.me == 0; ++r) co_yield receive(r);
  if (call.me != 0) co_yield send(0, 0);
  co_yield wait();
  for (CommRank r = 1; r < call.size && call.me == 0; ++r) co_yield send(r, 0);
  if (call.me != 0) co_yield receive(0);
  co_yield wait();
}

/// Everybody sends its block to everybody.
Schedule alltoall_linear(CollectiveCall call) {  // also alltoallv
  for (CommRank k = 1; k < call.size; ++k) co_yield receive(around(call.me, k, call.size));
  for (CommRank k = 1; k < call.size; ++k) {
    const CommRank to = around(call.me, -k, call.size);
    co_yield send(to, block_to(call, to));
  }
  co_yield copied(block_to(call, call.me));
  co_yield wait();
}

/// The same messages, each rank's in an order of its own: at no time do all send to the same rank, and messages of one
/// rank do not all begin along the same axis.
Schedule alltoall_random(CollectiveCall call) {  // also alltoallv
  std::vector<CommRank> order(static_cast<std::size_t>(call.size) - 1);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = around(call.me, static_cast<CommRank>(i) + 1, call.size);
  core::Random random(static_cast<std::uint64_t>(call.me), "order of an all-to-all");
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const auto from : order) co_yield receive(from);
  for (const auto to : order) co_yield send(to, block_to(call, to));
  co_yield copied(block_to(call, call.me));
  co_yield wait();
}

Schedule allgather_linear(CollectiveCall call) {  // also allgatherv
  call.bytes = block_of(call, call.me);
  call.send_counts = {};
  return alltoall_linear(call);
}

/// Each rank hears from all ranks below it. Also exscan, which leaves out its own vector.
Schedule scan_linear(CollectiveCall call) {
  for (CommRank r = 0; r < call.me; ++r) co_yield receive(r);
  for (CommRank r = call.me + 1; r < call.size; ++r) co_yield send(r, call.bytes);
  co_yield wait();
  const bool has_own = call.kind == OpKind::scan || call.me == 0;
  co_yield summed(call.bytes * static_cast<std::uint64_t>(call.me - (has_own ? 0 : 1)));
}

/// Each rank hears from the one before it, which has heard from all before. Also exscan, whose
/// results are what was heard: with their own vectors ranks sum for the next one alone.
Schedule scan_chain(CollectiveCall call) {
  const bool is_last = call.me + 1 == call.size;
  if (call.me > 0) {
    co_yield completed(receive(call.me - 1));
    if (call.kind == OpKind::scan || !is_last) co_yield summed(call.bytes);
  }
  if (!is_last) co_yield completed(send(call.me + 1, call.bytes));
}

}  // namespace

std::vector<CollectiveAlgorithm> linear_collectives() {
  return {{OpKind::barrier, "linear", "all to rank 0, rank 0 to all", barrier_linear},
          {OpKind::bcast, "linear", "root to all at once", bcast_linear},
          {OpKind::reduce, "linear", "all to the root at once", gather_linear<>},
          {OpKind::allreduce, "reduce_bcast", "linear reduce to rank 0, then binomial bcast",
           allreduce_by_bcast<linear_parts>},
          {OpKind::gather, "linear", "all to the root at once", gather_linear<>},
          {OpKind::gather, "basic_linear", "all to the root, which takes one after the other", gather_linear<true>},
          {OpKind::gather, "linear_sync", "all to the root, one asked after the other", gather_linear_sync, false,
           nullptr, CollectiveAlgorithm::Takes::segment},
          {OpKind::allreduce, "nonoverlapping", "reduce, then bcast, by Open MPI's rule", allreduce_by_bcast<openmpi>},
          {OpKind::reduce_scatter, "nonoverlapping", "reduce, then scatterv, by Open MPI's rule",
           reduce_scatter_by_scatter<openmpi>},
          {OpKind::allgather, "gather_bcast", "gather, then bcast, by Open MPI's rule", allgather_gather_bcast},
          {OpKind::gatherv, "linear", "all to the root at once", gather_linear<>},
          {OpKind::scatter, "linear", "root to all at once", scatter_linear<>},
          {OpKind::scatter, "basic_linear", "root to all, one after the other", scatter_linear<true>},
          {OpKind::scatterv, "linear", "root to all at once", scatter_linear<>},
          {OpKind::allgather, "linear", "all to all at once", allgather_linear},
          {OpKind::allgatherv, "linear", "all to all at once", allgather_linear},
          {OpKind::alltoall, "linear", "all to all at once", alltoall_linear},
          {OpKind::alltoallv, "linear", "all to all at once", alltoall_linear},
          {OpKind::alltoall, "random", "all to all at once, each rank in a random order", alltoall_random},
          {OpKind::alltoallv, "random", "all to all at once, each rank in a random order", alltoall_random},
          {OpKind::reduce_scatter, "linear", "reduce to rank 0, then scatter", reduce_scatter_by_scatter<linear_parts>},
          {OpKind::scan, "linear", "each rank to all above it at once", scan_linear},
          {OpKind::scan, "chain", "from each rank to the next", scan_chain},
          {OpKind::exscan, "chain", "from each rank to the next", scan_chain},
          {OpKind::exscan, "linear", "each rank to all above it at once", scan_linear}};
}

}  // namespace toroid::workloads
