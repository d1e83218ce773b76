#pragma once
// Studies on several machines: started under mpirun, rank 0 hands tasks to the workers of all ranks.

#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

using Lead = std::function<void(Executor&)>;
/// Makes the executor of this process, beside which so many others run on this machine.
using MakeLocal = std::function<std::unique_ptr<Executor>(std::size_t ranks_here)>;

/// Calls `lead` with an executor over the workers of all MPI ranks, `workers` on each; 0 means as many as a rank has
/// cores. Under mpirun, rank 0 calls it, and the other ranks work for it until it has returned. Throws InputError if
/// there are several ranks, and libtoroid_mpi.so is not installed.
void with_workers(const DoTask& work, std::size_t workers, const Lead& lead);

}  // namespace toroid::study

/// What libtoroid_mpi.so gives the program: with_workers() under mpirun.
extern "C" __attribute__((visibility("default"))) void toroid_with_ranks(const toroid::study::MakeLocal& local,
                                                                         const toroid::study::Lead& lead);
