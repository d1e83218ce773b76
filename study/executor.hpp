#pragma once
// Many independent tasks in worker processes: here, or on all ranks of an MPI run. Tasks are numbers; what they are is
// known to every process alike, so only numbers and results travel.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace toroid::study {

/// What became of a task: its result, or the one line that says why there is none.
struct Outcome {
  std::size_t task = 0;
  bool failed = false;
  std::string text;
};

/// Runs in a process of its own; a crash costs the task, not the study.
using Work = std::function<std::string(std::size_t task)>;

class Executor {
 public:
  virtual ~Executor() = default;
  /// Tasks that can be under way at once.
  virtual std::size_t slots() const = 0;
  virtual void start(std::size_t task) = 0;
  /// One that has ended; waits up to `seconds` for it. A task for which there is no room now waits until there is; when
  /// there is none for long, though no other task is under way, it counts as failed.
  virtual std::optional<Outcome> next(double seconds) = 0;
};

/// Worker processes on this machine.
std::unique_ptr<Executor> make_local_executor(Work work, std::size_t workers);

/// Workers that keep busy the cores this process may use, where `processes_here` like it run on this machine: not more
/// than it is bound to, nor than its part of the machine. At least 1.
std::size_t default_workers(std::size_t processes_here);

/// Calls ended(outcome) for each of the tasks, as they end.
void run_tasks(Executor& executor, std::span<const std::size_t> tasks,
               const std::function<void(const Outcome&)>& ended);

}  // namespace toroid::study
