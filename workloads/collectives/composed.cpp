// Collectives made of other collectives, one after the other.

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

/// A linear reduction to rank 0, then a binomial broadcast from there.
Schedule allreduce_reduce_bcast(CollectiveCall call) {
  call.root = 0;
  auto reduce = find_collective(OpKind::reduce, "linear").run(call);
  while (const auto step = reduce.next()) co_yield *step;
  auto bcast = find_collective(OpKind::bcast, "binomial").run(call);
  while (const auto step = bcast.next()) co_yield *step;
}

}  // namespace

std::vector<CollectiveAlgorithm> composed_collectives() {
  return {{OpKind::allreduce, "reduce_bcast", "linear reduce to rank 0, then binomial bcast", allreduce_reduce_bcast}};
}

}  // namespace toroid::workloads
