#pragma once
// The algorithms, by file; registered in collectives.cpp.

#include "workloads/collectives/schedule.hpp"

namespace toroid::workloads::algorithms {

// linear.cpp: everything straight between the root (or everybody) and everybody
Schedule barrier_linear(CollectiveCall call);
Schedule bcast_linear(CollectiveCall call);
Schedule reduce_linear(CollectiveCall call);
Schedule gather_linear(CollectiveCall call);
Schedule scatter_linear(CollectiveCall call);
Schedule allgather_linear(CollectiveCall call);
Schedule alltoall_linear(CollectiveCall call);
Schedule reduce_scatter_linear(CollectiveCall call);
Schedule scan_linear(CollectiveCall call);

// binomial.cpp: binomial trees
Schedule bcast_binomial(CollectiveCall call);
Schedule reduce_binomial(CollectiveCall call);
Schedule gather_binomial(CollectiveCall call);
Schedule scatter_binomial(CollectiveCall call);

// doubling.cpp: partners at distances 1, 2, 4, ...
Schedule barrier_dissemination(CollectiveCall call);
Schedule allreduce_recursive_doubling(CollectiveCall call);
Schedule allreduce_rabenseifner(CollectiveCall call);
Schedule allgather_recursive_doubling(CollectiveCall call);
Schedule allgather_bruck(CollectiveCall call);
Schedule alltoall_bruck(CollectiveCall call);
Schedule scan_recursive_doubling(CollectiveCall call);

// ring.cpp: neighbours only, or one partner at a time round the ring
Schedule bcast_scatter_ring(CollectiveCall call);
Schedule allreduce_ring(CollectiveCall call);
Schedule allgather_ring(CollectiveCall call);
Schedule alltoall_pairwise(CollectiveCall call);
Schedule reduce_scatter_pairwise(CollectiveCall call);

// composed.cpp: one collective after another
Schedule allreduce_reduce_bcast(CollectiveCall call);

}  // namespace toroid::workloads::algorithms
