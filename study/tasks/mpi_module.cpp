// The part of studies on several machines that calls MPI: libtoroid_mpi.so, which needs nothing of ours but headers.

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "study/tasks/mpi.hpp"

namespace toroid::study {
namespace {

enum Tag : int { task_tag = 1, result_tag = 2, end_tag = 3 };

std::size_t count_ranks_here() {
  MPI_Comm machine = MPI_COMM_NULL;
  int count = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return static_cast<std::size_t>(count);
}

/// A result on the wire: the task's number, whether it failed, then the text.
std::vector<char> packed(const Outcome& outcome) {
  std::vector<char> bytes(sizeof(std::uint64_t) + 1);
  const std::uint64_t task = outcome.task;
  std::memcpy(bytes.data(), &task, sizeof task);
  bytes[sizeof task] = outcome.failed ? 1 : 0;
  bytes.insert(bytes.end(), outcome.text.begin(), outcome.text.end());
  return bytes;
}

Outcome unpacked(const std::vector<char>& bytes) {
  std::uint64_t task = 0;
  std::memcpy(&task, bytes.data(), sizeof task);
  return {task, bytes[sizeof task] != 0, {bytes.begin() + sizeof task + 1, bytes.end()}};
}

/// The workers of each rank, on rank 0 alone: machines differ. All ranks call this.
std::vector<std::uint64_t> workers_of_ranks(std::uint64_t own, int ranks) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  MPI_Gather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  return all;
}

/// Rank 0's view of all workers: its own, and those of the other ranks by message.
class MpiExecutor final : public Executor {
 public:
  MpiExecutor(std::unique_ptr<Executor> local, int ranks)
      : local_(std::move(local)), workers_(workers_of_ranks(local_->slots(), ranks)), idle_(workers_) {}

  ~MpiExecutor() override {
    for (int rank = 1; rank < ranks(); ++rank) MPI_Send(nullptr, 0, MPI_CHAR, rank, end_tag, MPI_COMM_WORLD);
  }

  std::size_t slots() const override { return std::accumulate(workers_.begin(), workers_.end(), std::uint64_t{0}); }

  /// Gives the task to the rank with the most idle workers.
  void start(std::size_t task) override {
    const auto most = std::max_element(idle_.begin(), idle_.end());
    const auto rank = most - idle_.begin();
    --*most;
    if (rank == 0) return local_->start(task);
    const std::uint64_t number = task;
    MPI_Send(&number, 1, MPI_UINT64_T, static_cast<int>(rank), task_tag, MPI_COMM_WORLD);
  }

  std::optional<Outcome> next(double seconds) override {
    constexpr double slice = 0.005;  // between looks at the other source of results
    for (double waited = 0; waited <= seconds; waited += slice) {
      if (auto outcome = receive()) return outcome;
      if (auto outcome = idle_[0] < workers_[0] ? local_->next(slice) : pause(slice)) {
        ++idle_[0];
        return outcome;
      }
    }
    return std::nullopt;
  }

 private:
  int ranks() const { return static_cast<int>(workers_.size()); }

  static std::optional<Outcome> pause(double seconds) {
    ::usleep(static_cast<useconds_t>(1e6 * seconds));
    return std::nullopt;
  }

  std::optional<Outcome> receive() {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    std::vector<char> bytes(static_cast<std::size_t>(size));
    MPI_Recv(bytes.data(), size, MPI_CHAR, status.MPI_SOURCE, result_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ++idle_[static_cast<std::size_t>(status.MPI_SOURCE)];
    return unpacked(bytes);
  }

  std::unique_ptr<Executor> local_;
  std::vector<std::uint64_t> workers_, idle_;  ///< the numbers of workers and of idle ones, by rank
};

/// The MPI run that this process was started in, which it leaves at the end of its life.
struct MpiSession {
  int rank = 0, ranks = 1;
  std::size_t ranks_here = 1;  ///< ranks on this machine

  MpiSession() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ranks_here = count_ranks_here();
  }
  ~MpiSession() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) MPI_Finalize();
  }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

/// Works for rank 0 until its executor is gone.
void serve(Executor& local, int ranks) {
  workers_of_ranks(local.slots(), ranks);
  for (;;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    for (; there != 0; MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status)) {
      std::uint64_t task = 0;
      MPI_Recv(&task, 1, MPI_UINT64_T, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (status.MPI_TAG == end_tag) return;
      local.start(task);
    }
    for (auto outcome = local.next(0.005); outcome; outcome = local.next(0)) {
      const auto bytes = packed(*outcome);
      MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, 0, result_tag, MPI_COMM_WORLD);
    }
  }
}

}  // namespace
}  // namespace toroid::study

void toroid_with_ranks(const toroid::study::MakeLocal& local, const toroid::study::Lead& lead) {
  using namespace toroid::study;
  const MpiSession mpi;
  auto workers = local(mpi.ranks_here);
  if (mpi.rank > 0) return serve(*workers, mpi.ranks);
  if (mpi.ranks == 1) return lead(*workers);
  MpiExecutor executor(std::move(workers), mpi.ranks);  // whose end lets the other ranks go
  lead(executor);
}
