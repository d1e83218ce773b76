#include "study/study.hpp"

#include <numeric>

#include "study/groups.hpp"
#include "study/tasks.hpp"

namespace toroid::study {

using core::Json;

namespace {

using Tasks = std::vector<std::size_t>;

/// The names that the journal knows the tasks by.
NameTask names_of(const Comparison& comparison) {
  return [&comparison](std::size_t task) -> Json {
    const auto& spec = comparison.spec();
    const auto& run = comparison.runs()[task % comparison.runs().size()];
    const auto seed = comparison.seed(run);
    return {{"platform", spec.platforms[run.platform]},
            {"trace", spec.traces[run.trace].text()},
            {"map", spec.maps[run.map].text()},
            {"seed", seed ? Json(*seed) : Json()},
            {"engine", comparison.engine(task).text()}};
  };
}

/// A row for each run, done as the tasks from `first` on.
std::vector<Row> run_all(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t first) {
  std::vector<Row> rows;
  for (const auto& run : comparison.runs()) rows.push_back({run});
  Tasks runs(rows.size());
  std::iota(runs.begin(), runs.end(), first);
  do_tasks("simulating", runs, names_of(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             rows[task - first].measures = measures_from(result);
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
  do_tasks("verifying", verifications, names_of(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = rows[task - count];
             if (const auto measures = measures_from(result)) row.verified_runtime = measures->runtime;
             row.verification_error = error;
           });
  return rows;
}

}  // namespace toroid::study
