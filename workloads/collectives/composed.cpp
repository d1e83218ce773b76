// Collectives made of other collectives, one after the other.

#include "workloads/collectives/algorithms.hpp"

namespace toroid::workloads::algorithms {

/// A linear reduction to rank 0, then a binomial broadcast from there.
Schedule allreduce_reduce_bcast(CollectiveCall call) {
  call.root = 0;
  auto reduce = reduce_linear(call);
  while (const auto step = reduce.next()) co_yield *step;
  auto bcast = bcast_binomial(call);
  while (const auto step = bcast.next()) co_yield *step;
}

}  // namespace toroid::workloads::algorithms
