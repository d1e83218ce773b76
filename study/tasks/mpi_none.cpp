// Built without MPI: one rank.

#include "study/tasks/mpi.hpp"

namespace toroid::study {

void with_workers(const DoTask& work, std::size_t workers, const std::function<void(Executor&)>& lead) {
  lead(*make_local_executor(work, workers == 0 ? default_workers(1) : workers));
}

}  // namespace toroid::study
