#include "study/tasks.hpp"

#include <fmt/format.h>

#include "core/progress.hpp"

namespace toroid::study {

using core::Json;

void do_tasks(const char* title, std::vector<std::size_t> tasks, const NameTask& name, Executor& executor,
              Journal* journal, const TaskEnded& ended) {
  constexpr std::size_t many = 10'000;
  if (tasks.size() >= many)
    core::announce(fmt::format("{}: {} runs", title, core::about(static_cast<double>(tasks.size()))));
  core::Progress bar(title, tasks.size());
  std::size_t done = 0;
  if (journal != nullptr)
    done = std::erase_if(tasks, [&](std::size_t task) {
      const auto* known = journal->find(name(task));
      if (known != nullptr) ended(task, *known, "");
      return known != nullptr;
    });
  run_tasks(executor, tasks, [&](const Outcome& outcome) {
    Json result;
    if (!outcome.failed) result = core::parse_json(outcome.text);
    if (!outcome.failed && journal != nullptr) journal->add(name(outcome.task), result);
    ended(outcome.task, result, outcome.failed ? outcome.text : "");
    bar.update(++done);
  });
}

}  // namespace toroid::study
