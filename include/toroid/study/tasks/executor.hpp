#pragma once
// Many independent tasks in worker processes. Tasks are numbers; what they are is
// known to every process alike, so only numbers and results travel. A journal may know some of them already.
//
//   study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, 2)  // two workers

#include <functional>
#include <memory>
#include <span>

#include "toroid/core/json.hpp"

namespace toroid::study {

using core::Json;
class Journal;

/// How a task ended: its result, or the one line that says why it failed.
struct Outcome {
  std::size_t task = 0;
  bool failed = false;
  std::string text;
};

/// Does a task and returns its result. It runs in a process of its own, so that a crash costs the task, not the study.
using DoTask = std::function<std::string(std::size_t task)>;

class Executor {
 public:
  virtual ~Executor() = default;
  /// The number of tasks that can be under way at once.
  virtual std::size_t slots() const = 0;
  virtual void start(std::size_t task) = 0;
  /// A task that has ended; waits up to `seconds` for one, and returns nothing then. A task that the system has no room
  /// for waits until there is room; if there is none for long, although no other task is under way, the task fails.
  virtual std::optional<Outcome> next(double seconds) = 0;
};

/// An executor with so many worker processes on this machine; 0 means default_workers().
std::unique_ptr<Executor> make_local_executor(DoTask work, std::size_t workers);

/// A worker for each core that this process is bound to.
std::size_t default_workers();

/// What becomes of the tasks that have not begun when one has failed.
enum class OnFailedTask : std::uint8_t { go_on, stop };

/// Begins the tasks in their order, and calls ended(outcome) for each as it ends. All before one that failed are done,
/// even if that one stops those behind it.
void run_tasks(Executor& executor, std::span<const std::size_t> tasks, const std::function<void(const Outcome&)>& ended,
               OnFailedTask on_failed = OnFailedTask::go_on);

/// The name that the journal knows a task by.
using NameTask = std::function<Json(std::size_t task)>;
/// Receives the result of a task, or null and the reason why there is none.
using TaskEnded = std::function<void(std::size_t task, const Json& result, const std::string& error)>;

/// Does the tasks that the journal (which may be null) does not know, and adds the results of those that succeed to it.
/// The executor's work must return JSON text.
void do_tasks(const char* title, std::vector<std::size_t> tasks, const NameTask& name, Executor& executor,
              Journal* journal, const TaskEnded& ended, OnFailedTask on_failed = OnFailedTask::go_on);

/// What a task gave: its result, or null and the reason why there is none.
struct Done {
  Json result;
  std::string error;
};

/// Does so many tasks in worker processes (as make_local_executor has them), without a journal, and gives what came of
/// each. `work` returns the result of one. A task that never began has neither a result nor a reason.
std::vector<Done> run_all(const char* title, std::size_t tasks, std::size_t workers,
                          const std::function<Json(std::size_t task)>& work,
                          OnFailedTask on_failed = OnFailedTask::go_on);

}  // namespace toroid::study
