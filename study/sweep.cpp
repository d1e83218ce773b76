#include "study/sweep.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "platforms/load.hpp"
#include "study/statistics.hpp"
#include "study/tasks.hpp"

namespace toroid::study {

using core::Json;

namespace {

void check_distinct(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const auto& name : names)
    if (!seen.insert(name).second) core::fail_input("'{}' is given twice", name);
}

bool uses_seed(const platforms::Machine& machine, const std::string& allocator) {
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  return alloc::make_allocator(allocator, {free, nullptr, 1, &clock})->uses_seed();
}

}  // namespace

Sweep::Sweep(SweepSpec spec) : spec_(std::move(spec)) {
  for (const auto* names : {&spec_.platforms, &spec_.jobs, &spec_.schedulers, &spec_.allocators})
    check_distinct(*names);
  for (const auto& platform : spec_.platforms)
    read_input(inputs_, platform, [&] { machines_.push_back(platforms::make_machine(platform)); });
  for (std::size_t j = 0; j < spec_.jobs.size(); ++j) read_input(inputs_, spec_.jobs[j], [&] { add_jobs(j); });
  for (std::size_t p = 0; p < machines_.size(); ++p)
    for (std::size_t j = 0; j < spec_.jobs.size(); ++j)
      for (std::size_t s = 0; s < spec_.schedulers.size(); ++s)
        for (std::size_t a = 0; a < spec_.allocators.size(); ++a) add_runs(p, j, s, a);
}

void Sweep::add_jobs(std::size_t number) {
  const auto& jobs = *jobs_.emplace_back(workloads::open_jobs(spec_.jobs[number], spec_.reading, spec_.seed));
  for (std::size_t p = 0; p < machines_.size(); ++p) cosim::check_jobs(request({p, number, 0, 0, 0}, jobs));
}

void Sweep::add_runs(std::size_t platform, std::size_t jobs, std::size_t scheduler, std::size_t allocator) {
  cosim::check(request({platform, jobs, scheduler, allocator, 0}, *jobs_[jobs]));
  const bool draws_lots = spec_.options.failures.mtbf > 0 || jobs_[jobs]->uses_seed() ||
                          uses_seed(machines_[platform], spec_.allocators[allocator]);
  for (std::size_t r = 0; r < (draws_lots ? spec_.repeats : 1); ++r)
    runs_.push_back({platform, jobs, scheduler, allocator, r});
}

Json Sweep::name(const SweepRun& run) const {
  return {{"platform", spec_.platforms[run.platform]},
          {"workload", spec_.jobs[run.jobs]},
          {"scheduler", spec_.schedulers[run.scheduler]},
          {"alloc", spec_.allocators[run.allocator]},
          {"seed", spec_.seed + run.repetition}};
}

cosim::ScheduleRequest Sweep::request(const SweepRun& run, const workloads::Jobs& jobs) const {
  cosim::ScheduleRequest request{machines_[run.platform], jobs, spec_.schedulers[run.scheduler],
                                 spec_.allocators[run.allocator]};
  request.engine = spec_.engine;
  request.seed = spec_.seed + run.repetition;
  request.options = spec_.options;
  request.times = spec_.times;
  request.programs = spec_.programs;
  request.epochs = spec_.epochs;
  return request;
}

std::string Sweep::work(std::size_t number) const {
  const auto& run = runs_[number];
  const auto work_with = [&](const workloads::Jobs& jobs, bool are_checked) {
    auto asked = request(run, jobs);
    asked.jobs_are_checked = are_checked;
    return core::json_text(cosim::result_json(cosim::run_schedule(asked)));
  };
  if (!jobs_[run.jobs]->uses_seed()) return work_with(*jobs_[run.jobs], true);
  return work_with(*workloads::open_jobs(spec_.jobs[run.jobs], spec_.reading, spec_.seed + run.repetition), false);
}

std::vector<SweepRow> run_sweep(const Sweep& sweep, Executor& executor, Journal* journal) {
  std::vector<SweepRow> rows;
  for (const auto& run : sweep.runs()) rows.push_back({run});
  std::vector<std::size_t> tasks(rows.size());
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  do_tasks(
      "scheduling", tasks, [&](std::size_t task) { return sweep.name(sweep.runs()[task]); }, executor, journal,
      [&](std::size_t task, const Json& result, const std::string& error) {
        rows[task].result = result;
        rows[task].error = error;
      });
  return rows;
}

double SweepGroup::mean(const std::string& field) const {
  double sum = 0;
  for (const auto* row : rows) sum += row->result.value(field, 0.0);
  return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

namespace {

Sample sample_of(const SweepGroup& group, const std::string& judged_by) {
  Sample sample;
  for (const auto* row : group.rows) sample.push_back(row->result[judged_by].get<double>());
  return sample;
}

bool are_beside_each_other(const SweepGroup& a, const SweepGroup& b) {
  return a.first.platform == b.first.platform && a.first.jobs == b.first.jobs && a.first.scheduler == b.first.scheduler;
}

/// Finds the best of the groups and how sure it is that the others differ from it.
void judge_groups(std::span<SweepGroup> groups, const std::string& judged_by) {
  SweepGroup* best = nullptr;
  for (auto& group : groups)
    if (!group.rows.empty() && (best == nullptr || group.mean(judged_by) < best->mean(judged_by))) best = &group;
  if (best == nullptr) return;
  best->is_best = true;
  std::vector<SweepGroup*> tested;
  std::vector<double> p;
  const auto best_sample = sample_of(*best, judged_by);
  for (auto& group : groups) {
    if (&group == best || group.rows.empty()) continue;
    const auto sample = sample_of(group, judged_by);
    if (sample.size() < 2 && best_sample.size() < 2) continue;
    tested.push_back(&group);
    p.push_back(sample.size() < 2        ? sign_test(best_sample, sample[0])
                : best_sample.size() < 2 ? sign_test(sample, best_sample[0])
                                         : mann_whitney(best_sample, sample));
  }
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->p = adjusted[i];
}

}  // namespace

std::vector<SweepGroup> sweep_groups(const std::vector<SweepRow>& rows, const std::string& judged_by) {
  std::vector<SweepGroup> groups;
  for (const auto& row : rows) {
    if (row.run.repetition == 0) groups.push_back({row.run, {}, {}, false});
    if (!row.result.is_null()) groups.back().rows.push_back(&row);
  }
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    for (end = begin; end < groups.size() && are_beside_each_other(groups[begin], groups[end]);) ++end;
    judge_groups(std::span(groups).subspan(begin, end - begin), judged_by);
  }
  return groups;
}

}  // namespace toroid::study
