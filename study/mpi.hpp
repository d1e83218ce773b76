#pragma once
// Studies on several machines: started under mpirun, rank 0 hands tasks to the workers of all ranks. Without MPI at
// build time, or when not started under mpirun, there is one rank, this one.

#include <memory>

#include "study/executor.hpp"

namespace toroid::study {

/// Joins the MPI run that this process was started in, if any, and leaves it at the end of its life.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// The number of ranks on this machine.
  std::size_t ranks_here() const { return ranks_here_; }

  /// Makes an executor over the workers of all ranks, `workers` of them on this one. For rank 0.
  std::unique_ptr<Executor> make_executor(const DoTask& work, std::size_t workers) const;
  /// Works for rank 0 with `workers` workers until its executor is gone. For the other ranks.
  void serve(const DoTask& work, std::size_t workers) const;

 private:
  int rank_ = 0, ranks_ = 1;
  std::size_t ranks_here_ = 1;
};

}  // namespace toroid::study
