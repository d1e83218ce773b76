#include "study/study.hpp"

#include <numeric>

#include "core/progress.hpp"
#include "study/groups.hpp"

namespace toroid::study {

using core::Json;

namespace {

using Tasks = std::vector<std::size_t>;

/// A task under the name that the journal knows it by.
Json name_of(const Comparison& comparison, std::size_t task) {
  const auto& spec = comparison.spec();
  const auto& run = comparison.runs()[task % comparison.runs().size()];
  const auto seed = comparison.seed(run);
  return {{"platform", spec.platforms[run.platform]},
          {"trace", spec.traces[run.trace]},
          {"map", spec.maps[run.map]},
          {"seed", seed ? Json(*seed) : Json()},
          {"engine", comparison.engine(task)}};
}

/// Does the tasks that the journal does not know. `ended` is told the measures of each, or why there are none.
template <class Ended>
void do_tasks(const char* title, Tasks tasks, const Comparison& comparison, Executor& executor, Journal* journal,
              Ended ended) {
  core::Progress bar(title, tasks.size());
  std::size_t done = 0;
  if (journal != nullptr)
    done = std::erase_if(tasks, [&](std::size_t task) {
      const auto known = journal->find(name_of(comparison, task));
      if (known) ended(task, *known, "");
      return known.has_value();
    });
  run_tasks(executor, tasks, [&](const Outcome& outcome) {
    std::optional<Measures> measures;
    if (!outcome.failed) measures = Comparison::unpacked(outcome.text);
    if (measures && journal != nullptr) journal->add(name_of(comparison, outcome.task), *measures);
    ended(outcome.task, measures, outcome.failed ? outcome.text : "");
    bar.update(++done);
  });
}

/// A row for each run, done as the tasks from `first` on.
std::vector<Row> run_all(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t first) {
  std::vector<Row> rows;
  for (const auto& run : comparison.runs()) rows.push_back({run});
  Tasks runs(rows.size());
  std::iota(runs.begin(), runs.end(), first);
  do_tasks("simulating", runs, comparison, executor, journal,
           [&](std::size_t task, const std::optional<Measures>& measures, const std::string& error) {
             rows[task - first].measures = measures;
             rows[task - first].error = error;
           });
  return rows;
}

}  // namespace

std::vector<Row> run_opinion(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t opinion) {
  return run_all(comparison, executor, journal, (2 + opinion) * comparison.runs().size());
}

std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal) {
  const auto count = comparison.runs().size();
  auto rows = run_all(comparison, executor, journal, 0);
  if (!comparison.spec().verify) return rows;
  Tasks verifications;
  for (const auto& group : groups_of(rows))
    if (group.best) verifications.push_back(count + *group.best);
  do_tasks("verifying", verifications, comparison, executor, journal,
           [&](std::size_t task, const std::optional<Measures>& measures, const std::string& error) {
             auto& row = rows[task - count];
             if (measures) row.verified_runtime = measures->runtime;
             row.verification_error = error;
           });
  return rows;
}

}  // namespace toroid::study
