#pragma once
// Studies on several machines: started under mpirun, rank 0 hands tasks to the workers of all ranks. Without MPI at
// build time, or when not started under mpirun, there is one rank, this one.

#include <memory>

#include "study/executor.hpp"

namespace toroid::study {

/// Joins the MPI run that this process was started in, if any, for as long as it lives.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// Those of them on this machine.
  std::size_t ranks_here() const { return ranks_here_; }

  /// Rank 0: an executor over the workers of all ranks, `workers` on this one.
  std::unique_ptr<Executor> make_executor(const Work& work, std::size_t workers) const;
  /// Other ranks: works with `workers` of its own until rank 0's executor is gone.
  void serve(const Work& work, std::size_t workers) const;

 private:
  int rank_ = 0, ranks_ = 1;
  std::size_t ranks_here_ = 1;
};

}  // namespace toroid::study
