#include "study/executor.hpp"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/isolate.hpp"

namespace toroid::study {
namespace {

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(Work work, std::size_t workers) : work_(std::move(work)), workers_(workers) {}

  std::size_t slots() const override { return workers_; }

  void start(std::size_t task) override {
    try {
      running_.push_back(
          {task, std::make_unique<core::IsolatedWork>([this, task](std::uint64_t&) { return work_(task); })});
    } catch (const core::SimulationError& error) {  // no process, no file: costs this task
      not_started_.push_back({task, true, error.what()});
    }
  }

  std::optional<Outcome> next(double seconds) override {
    if (!not_started_.empty()) {
      const auto outcome = not_started_.back();
      not_started_.pop_back();
      return outcome;
    }
    std::vector<pollfd> waiting;
    for (const auto& worker : running_) waiting.push_back({worker.process->descriptor(), POLLIN, 0});
    ::poll(waiting.data(), waiting.size(), static_cast<int>(1000 * seconds));
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents == 0 || !running_[i].process->receive()) continue;
      const auto outcome = outcome_of(running_[i]);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      return outcome;
    }
    return std::nullopt;
  }

 private:
  struct Worker {
    std::size_t task;
    std::unique_ptr<core::IsolatedWork> process;
  };

  static Outcome outcome_of(const Worker& worker) {
    try {
      return {worker.task, false, worker.process->result()};
    } catch (const std::exception& error) {
      return {worker.task, true, error.what()};
    }
  }

  Work work_;
  std::size_t workers_;
  std::vector<Worker> running_;
  std::vector<Outcome> not_started_;
};

}  // namespace

std::unique_ptr<Executor> make_local_executor(Work work, std::size_t workers) {
  return std::make_unique<LocalExecutor>(std::move(work), workers);
}

std::size_t default_workers(std::size_t processes_here) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  // MPI launchers bind ranks to cores, and workers inherit that.
  cpu_set_t bound;
  const bool known = ::sched_getaffinity(0, sizeof bound, &bound) == 0;  // fails beyond 1024 cores
  const std::size_t usable = known ? static_cast<std::size_t>(CPU_COUNT(&bound)) : cores;
  return std::max<std::size_t>(1, std::min(usable, cores / processes_here));
}

void run_tasks(Executor& executor, std::span<const std::size_t> tasks,
               const std::function<void(const Outcome&)>& ended) {
  std::size_t next = 0, running = 0;
  for (;;) {
    for (; next < tasks.size() && running < executor.slots(); ++next, ++running) executor.start(tasks[next]);
    if (running == 0) return;
    if (const auto outcome = executor.next(0.1)) {
      --running;
      ended(*outcome);
    }
  }
}

}  // namespace toroid::study
