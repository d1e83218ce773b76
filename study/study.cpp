#include "study/study.hpp"

#include <numeric>

#include "core/progress.hpp"

namespace toroid::study {

using core::Json;

namespace {

/// Does the tasks whose result is not there yet.
void run_phase(const char* title, std::vector<std::size_t> tasks, Executor& executor, Journal* journal,
               std::vector<Json>& results) {
  core::Progress bar(title, tasks.size());
  const auto all = tasks.size();
  std::erase_if(tasks, [&](std::size_t task) { return !results[task].is_null(); });
  auto done = all - tasks.size();
  run_tasks(executor, tasks, [&](const Outcome& outcome) {
    auto& result = results[outcome.task];
    result = outcome.failed ? Json{{"error", outcome.text}} : Json::parse(outcome.text);
    if (journal != nullptr && !outcome.failed) journal->add(outcome.task, result);
    bar.update(++done);
  });
}

}  // namespace

std::vector<Json> run_study(const Comparison& comparison, Executor& executor, Journal* journal) {
  const auto count = comparison.run_count();
  std::vector<Json> results(2 * count);  // runs, then verifications
  if (journal != nullptr)
    for (const auto& [task, result] : journal->known())
      if (task < results.size()) results[task] = result;
  std::vector<std::size_t> runs(count);
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  run_phase("simulating", runs, executor, journal, results);
  std::vector<Json> of_runs(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
  if (!comparison.spec().verify) return of_runs;

  const auto best = comparison.best_runs(of_runs);
  std::vector<std::size_t> verifications;
  for (const auto run : best) verifications.push_back(count + run);
  run_phase("verifying", verifications, executor, journal, results);
  for (const auto run : best) {
    const auto& verification = results[count + run];
    if (verification.contains("error"))
      of_runs[run]["verification_error"] = verification["error"];
    else
      of_runs[run]["verified_runtime_s"] = verification["runtime_s"];
  }
  return of_runs;
}

}  // namespace toroid::study
