// Built without MPI: one rank.

#include "study/mpi.hpp"

namespace toroid::study {

MpiSession::MpiSession() = default;
MpiSession::~MpiSession() = default;

std::unique_ptr<Executor> MpiSession::make_executor(const DoTask& work, std::size_t workers) const {
  return make_local_executor(work, workers);
}

void MpiSession::serve(const DoTask&, std::size_t) const {}

}  // namespace toroid::study
