#include "toroid/study/tasks/executor.hpp"

#include <poll.h>
#include <sched.h>
#include <deque>
#include <numeric>
#include <thread>

#include "core/blame.hpp"
#include "core/interrupt.hpp"
#include "core/isolate.hpp"
#include "study/tasks/journal.hpp"

namespace toroid::study {
namespace {

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(DoTask work, std::size_t workers) : work_(std::move(work)), workers_(workers) {}

  std::size_t slots() const override { return workers_; }

  void start(std::size_t task) override {
    to_start_.push_back(task);
    start_workers();
  }

  std::optional<Outcome> next(double seconds) override {
    start_workers();
    if (running_.empty() && !to_start_.empty()) return without_workers(seconds);
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

  /// As many as the system has room for: the others wait, so that no result depends on that.
  void start_workers() {
    try {
      for (; !to_start_.empty(); to_start_.pop_front()) {
        const auto task = to_start_.front();
        running_.push_back(
            {task, std::make_unique<core::IsolatedWork>([this, task](std::uint64_t&) { return work_(task); })});
        alone_for_ = 0;
      }
    } catch (const core::CannotStart& error) {
      why_not_ = error.what();
    }
  }

  /// Room may come back when others on this machine are done, but not for ever.
  std::optional<Outcome> without_workers(double seconds) {
    constexpr double patience = 10;
    if (alone_for_ < patience) {
      ::poll(nullptr, 0, static_cast<int>(1000 * seconds));
      alone_for_ += std::max(seconds, 1e-3);
      return std::nullopt;
    }
    const auto task = to_start_.front();
    to_start_.pop_front();
    return Outcome{task, true, why_not_};
  }

  static Outcome outcome_of(const Worker& worker) {
    try {
      return {worker.task, false, worker.process->result()};
    } catch (const std::exception& error) {
      return {worker.task, true, error.what()};
    }
  }

  DoTask work_;
  std::size_t workers_;
  std::vector<Worker> running_;
  std::deque<std::size_t> to_start_;
  double alone_for_ = 0;  ///< seconds in which there were tasks, but no worker could be started
  std::string why_not_;
};

}  // namespace

std::unique_ptr<Executor> make_local_executor(DoTask work, std::size_t workers) {
  return std::make_unique<LocalExecutor>(std::move(work), workers == 0 ? default_workers() : workers);
}

std::size_t default_workers() {
  cpu_set_t bound;                                                       // what a batch system left of the machine
  const bool known = ::sched_getaffinity(0, sizeof bound, &bound) == 0;  // fails beyond 1024 cores
  return known ? static_cast<std::size_t>(CPU_COUNT(&bound)) : std::max(1U, std::thread::hardware_concurrency());
}

void run_tasks(Executor& executor, std::span<const std::size_t> tasks, const std::function<void(const Outcome&)>& ended,
               OnFailedTask on_failed) {
  std::size_t next = 0, running = 0, end = tasks.size();
  for (;;) {
    for (; next < end && running < executor.slots(); ++next, ++running) executor.start(tasks[next]);
    if (running == 0) return;
    core::end_if_interrupted();
    if (const auto outcome = executor.next(0.1)) {
      TOROID_ASSERT_HEAVY(std::ranges::find(tasks, outcome->task) != tasks.end());
      TOROID_ASSERT(running > 0);
      --running;
      if (outcome->failed && on_failed == OnFailedTask::stop) end = next;
      ended(*outcome);
    }
  }
}

void do_tasks(const char* title, std::vector<std::size_t> tasks, const NameTask& name, Executor& executor,
              Journal* journal, const TaskEnded& ended, OnFailedTask on_failed) {
  constexpr std::size_t many = 10'000;
  if (tasks.size() >= many)
    core::announce(fmt::format("{}: {} runs", title, core::about(static_cast<double>(tasks.size()))));
  core::Progress bar(title, tasks.size());
  std::size_t done = 0;
  const auto take = [&](std::size_t task, const Json& result, const std::string& error) {
    core::read_document("the result of a run as toroid writes it", [&] { ended(task, result, error); });
  };
  if (journal != nullptr)
    done = std::erase_if(tasks, [&](std::size_t task) {
      const auto* known = journal->find(name(task));
      if (known != nullptr) core::in_context(journal->path(), [&] { take(task, *known, ""); });
      return known != nullptr;
    });
  const auto take_outcome = [&](const Outcome& outcome) {
    Json result;
    if (!outcome.failed) result = core::parse_json(outcome.text);
    if (!outcome.failed && journal != nullptr) journal->add(name(outcome.task), result);
    take(outcome.task, result, outcome.failed ? outcome.text : "");
    bar.update(++done);
  };
  run_tasks(executor, tasks, take_outcome, on_failed);
}

std::vector<Done> run_all(const char* title, std::size_t tasks, std::size_t workers,
                          const std::function<Json(std::size_t)>& work, OnFailedTask on_failed) {
  std::vector<std::size_t> all(tasks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto executor = make_local_executor([&](std::size_t task) { return core::json_text(work(task)); }, workers);
  std::vector<Done> done(tasks);
  do_tasks(
      title, std::move(all), nullptr, *executor, nullptr,
      [&](std::size_t task, const Json& result, const std::string& error) {
        TOROID_ASSERT(task < done.size() && (error.empty() || result.is_null()));
        done[task] = {result, error};
      },
      on_failed);
  return done;
}

}  // namespace toroid::study
