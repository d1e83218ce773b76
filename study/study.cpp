#include "study/study.hpp"

#include "study/groups.hpp"
#include "study/tasks.hpp"

namespace toroid::study {

using core::Json;

NameTask task_names(const Comparison& comparison) {
  return [&comparison](std::size_t task) -> Json {
    const auto& spec = comparison.spec();
    const auto& run = comparison.runs()[task % comparison.runs().size()];
    const auto seed = comparison.seed(run);
    Json name{{"platform", spec.platforms[run.platform].text()},
              {"trace", spec.traces[run.trace].text()},
              {"map", spec.maps[run.map].text()},
              {"seed", seed ? Json(*seed) : Json()},
              {"engine", comparison.engine(task).text()}};
    if (const auto& placement = spec.placements[run.alloc]; placement.alloc) name["alloc"] = placement.text();
    if (comparison.block(task) == Comparison::with_computation) name["with_computation"] = true;
    if (const auto draw = comparison.draw(task)) {
      name["draw"] = *draw;
      name["draws_seed"] = spec.seed;
    }
    return name;
  };
}

namespace {

using Tasks = std::vector<std::size_t>;

/// What a run gave, or nothing if it failed. Throws InputError where a journal has something else.
std::optional<Measures> measures_in(const Json& result) {
  auto measures = measures_from(result);
  if (!measures && !result.is_null()) core::fail_input("found no measures of a run, expected those that toroid writes");
  return measures;
}

/// The tasks that are the comparison's own runs, or those of an opinion, begin here.
std::size_t first_task(const Comparison& comparison, std::optional<std::size_t> opinion) {
  return opinion ? (Comparison::first_opinion + *opinion) * comparison.runs().size() : 0;
}

/// A row for each run of the part, in each of the blocks of tasks from `first` on, below `end`.
std::vector<std::vector<Row>> run_blocks(const Comparison& comparison, Executor& executor, Journal* journal,
                                         std::size_t first, std::size_t end, const Part& part) {
  const auto runs = comparison.runs().size();
  const auto [begin, end_of_part] = part.range(runs);
  std::vector<Row> rows;
  for (auto run = begin; run < end_of_part; ++run) rows.push_back({comparison.runs()[run]});
  std::vector<std::vector<Row>> blocks(end - first, rows);
  Tasks tasks;
  for (auto block = first; block < end; ++block)
    for (auto run = begin; run < end_of_part; ++run) tasks.push_back(block * runs + run);
  do_tasks("simulating", tasks, task_names(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = blocks[comparison.block(task) - first][task % runs - begin];
             row.measures = measures_in(result);
             row.error = error;
           });
  return blocks;
}

/// Runs the best run of each group again with the reference engine. The rows begin with that of run `begin`.
void verify_best(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t begin,
                 std::vector<Row>& rows) {
  const auto first = Comparison::verifying * comparison.runs().size() + begin;
  Tasks tasks;
  for (const auto& group : groups_of(rows))
    if (group.best) tasks.push_back(first + *group.best);
  do_tasks("verifying", tasks, task_names(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = rows[task - first];
             if (const auto measures = measures_in(result)) row.verified_runtime = measures->runtime;
             row.verification_error = error;
           });
}

/// Runs the median run of each group again with its computation, where that is left out.
void add_computation(const Comparison& comparison, Executor& executor, Journal* journal, std::vector<Row>& rows) {
  const auto first = Comparison::with_computation * rows.size();
  Tasks tasks;
  for (const auto& group : groups_of(rows))
    if (group.typical && comparison.computation(group.platform, group.trace).is_left_out())
      tasks.push_back(first + *group.typical);
  do_tasks("with computation", tasks, task_names(comparison), executor, journal,
           [&](std::size_t task, const Json& result, const std::string& error) {
             auto& row = rows[task - first];
             if (const auto measures = measures_in(result)) row.with_computation = measures->runtime;
             row.with_computation_error = error;
           });
}

}  // namespace

std::vector<std::vector<Row>> run_opinions(const Comparison& comparison, Executor& executor, Journal* journal,
                                           std::size_t first, std::size_t end, const Part& part) {
  return run_blocks(comparison, executor, journal, Comparison::first_opinion + first, Comparison::first_opinion + end,
                    part);
}

std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal, const Part& part) {
  auto rows = run_blocks(comparison, executor, journal, 0, 1, part).front();
  if (comparison.spec().verify)
    verify_best(comparison, executor, journal, part.range(comparison.runs().size()).first, rows);
  if (part.of == 1) add_computation(comparison, executor, journal, rows);
  return rows;
}

void add_failures(const Comparison& comparison, const std::vector<Row>& rows, const Part& part,
                  std::optional<std::size_t> opinion, Journal& journal) {
  const auto name = task_names(comparison);
  const auto count = comparison.runs().size(), begin = part.range(count).first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].error.empty()) journal.add_failure(name(first_task(comparison, opinion) + begin + i), rows[i].error);
    if (!rows[i].verification_error.empty())
      journal.add_failure(name(Comparison::verifying * count + begin + i), rows[i].verification_error);
  }
}

}  // namespace toroid::study
