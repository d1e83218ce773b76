#pragma once
// Studies on several machines: started under mpirun, rank 0 hands tasks to the workers of all ranks.

#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

/// Calls `lead` with an executor over the workers of all MPI ranks, `workers` on each; 0 means as many as a rank has
/// cores. Under mpirun, rank 0 calls it, and the other ranks work for it until it has returned. Without MPI at build
/// time, or when not started under mpirun, there is one rank, this one.
void with_workers(const DoTask& work, std::size_t workers, const std::function<void(Executor&)>& lead);

}  // namespace toroid::study
