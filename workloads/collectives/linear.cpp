// Linear algorithms: every message goes straight from its origin to its destination, all at once; and one that is made
// of another and a broadcast.

#include "workloads/collectives/collectives.hpp"
#include "workloads/collectives/schedule.hpp"

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

Schedule gather_linear(CollectiveCall call) {  // also gatherv and reduce
  if (call.me == call.root) {
    for (CommRank r = 0; r < call.size; ++r)
      if (r != call.root) co_yield receive(r);
  } else {
    co_yield send(call.root, call.bytes);
  }
  co_yield wait();
}

Schedule scatter_linear(CollectiveCall call) {  // also scatterv
  if (call.me == call.root) {
    for (CommRank r = 0; r < call.size; ++r)
      if (r != call.root) co_yield send(r, block_to(call, r));
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
  co_yield wait();
}

Schedule allgather_linear(CollectiveCall call) {  // also allgatherv
  call.bytes = block_of(call, call.me);
  call.send_counts = {};
  return alltoall_linear(call);
}

/// The vectors go to rank 0, the combined blocks back from there.
Schedule reduce_scatter_linear(CollectiveCall call) {
  std::uint64_t vector = 0;
  for (CommRank r = 0; r < call.size; ++r) vector += block_of(call, r);
  for (CommRank r = 1; r < call.size && call.me == 0; ++r) co_yield receive(r);
  if (call.me != 0) co_yield send(0, vector);
  co_yield wait();
  for (CommRank r = 1; r < call.size && call.me == 0; ++r) co_yield send(r, block_of(call, r));
  if (call.me != 0) co_yield receive(0);
  co_yield wait();
}

/// Each rank hears from all ranks below it. Also exscan.
Schedule scan_linear(CollectiveCall call) {
  for (CommRank r = 0; r < call.me; ++r) co_yield receive(r);
  for (CommRank r = call.me + 1; r < call.size; ++r) co_yield send(r, call.bytes);
  co_yield wait();
}

/// A linear reduction to rank 0, then a binomial broadcast from there.
Schedule allreduce_reduce_bcast(CollectiveCall call) {
  call.root = 0;
  auto reduce = find_collective(OpKind::reduce, "linear").run(call);
  while (const auto step = reduce.next()) co_yield *step;
  auto bcast = find_collective(OpKind::bcast, "binomial").run(call);
  while (const auto step = bcast.next()) co_yield *step;
}

}  // namespace

std::vector<CollectiveAlgorithm> linear_collectives() {
  return {{OpKind::barrier, "linear", "all to rank 0, rank 0 to all", barrier_linear},
          {OpKind::bcast, "linear", "root to all at once", bcast_linear},
          {OpKind::reduce, "linear", "all to the root at once", gather_linear},
          {OpKind::allreduce, "reduce_bcast", "linear reduce to rank 0, then binomial bcast", allreduce_reduce_bcast},
          {OpKind::gather, "linear", "all to the root at once", gather_linear},
          {OpKind::gatherv, "linear", "all to the root at once", gather_linear},
          {OpKind::scatter, "linear", "root to all at once", scatter_linear},
          {OpKind::scatterv, "linear", "root to all at once", scatter_linear},
          {OpKind::allgather, "linear", "all to all at once", allgather_linear},
          {OpKind::allgatherv, "linear", "all to all at once", allgather_linear},
          {OpKind::alltoall, "linear", "all to all at once", alltoall_linear},
          {OpKind::alltoallv, "linear", "all to all at once", alltoall_linear},
          {OpKind::reduce_scatter, "linear", "reduce to rank 0, then scatter", reduce_scatter_linear},
          {OpKind::scan, "linear", "each rank to all above it at once", scan_linear},
          {OpKind::exscan, "linear", "each rank to all above it at once", scan_linear}};
}

}  // namespace toroid::workloads
