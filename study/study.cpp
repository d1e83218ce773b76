#include "study/study.hpp"

#include <numeric>

#include "study/groups.hpp"
#include "study/tasks.hpp"

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

}  // namespace

std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal) {
  const auto count = comparison.runs().size();
  std::vector<Row> rows;
  for (const auto& run : comparison.runs()) rows.push_back({run});
  Tasks runs(count);
  std::iota(runs.begin(), runs.end(), std::size_t{0});
  const NameTask name = [&](std::size_t task) { return name_of(comparison, task); };
  do_tasks("simulating", runs, name, executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             rows[task].measures = measures_from(result);
             rows[task].error = error;
           });
  if (!comparison.spec().verify) return rows;
  Tasks verifications;
  for (const auto& group : groups_of(rows))
    if (group.best) verifications.push_back(count + *group.best);
  do_tasks("verifying", verifications, name, executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = rows[task - count];
             if (const auto measures = measures_from(result)) row.verified_runtime = measures->runtime;
             row.verification_error = error;
           });
  return rows;
}

}  // namespace toroid::study
