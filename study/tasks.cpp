#include "study/tasks.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "core/context.hpp"
#include "core/json.hpp"
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
  const auto take = [&](std::size_t task, const Json& result, const std::string& error) {
    core::read_document("the result of a run as toroid writes it", [&] { ended(task, result, error); });
  };
  if (journal != nullptr)
    done = std::erase_if(tasks, [&](std::size_t task) {
      const auto* known = journal->find(name(task));
      if (known != nullptr) core::in_context(journal->path(), [&] { take(task, *known, ""); });
      return known != nullptr;
    });
  run_tasks(executor, tasks, [&](const Outcome& outcome) {
    Json result;
    if (!outcome.failed) result = core::parse_json(outcome.text);
    if (!outcome.failed && journal != nullptr) journal->add(name(outcome.task), result);
    take(outcome.task, result, outcome.failed ? outcome.text : "");
    bar.update(++done);
  });
}

void run_all(const char* title, std::size_t tasks, std::size_t workers, const std::function<Json(std::size_t)>& work,
             const TaskEnded& ended) {
  std::vector<std::size_t> all(tasks);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto executor = make_local_executor([&](std::size_t task) { return core::json_text(work(task)); }, workers);
  do_tasks(title, std::move(all), nullptr, *executor, nullptr, ended);
}

}  // namespace toroid::study
