#include <numeric>

#include "cosim/outages.hpp"
#include "cosim/placed_jobs.hpp"
#include "study/job_segments.hpp"
#include "study/tasks/journal.hpp"

namespace toroid::study {

Names SweepSpec::names() const {
  Names names{core::texts_of(platforms), {}, core::texts_of(maps), core::texts_of(allocators), core::texts_of(jobs),
              core::texts_of(schedulers)};
  if (and_without_events) names.events = {"without events", "with events"};
  return names;
}

Sweep::~Sweep() = default;
Sweep::Sweep(Sweep&&) noexcept = default;

bool Sweep::draws_lots(const Run& run) const {
  return shares_lots(run.workload) || times_draw_lots_ || map_draws_lots_[run.map] ||
         allocators_[run.platform][run.alloc].uses_seed;
}

Sweep::Sweep(SweepSpec spec) : spec_(std::move(spec)), names_(spec_.names()) {
  names_.check_distinct();
  spec_.labels = spec_.labels.or_else(names_);
  const auto runs = names_.combinations();
  if (!spec_.has_programs()) names_.maps.clear();
  for (const auto& platform : spec_.platforms)
    read_input(inputs_, platform.text(), [&] { machines_.push_back(platform.machine()); });
  if (const auto engine = spec_.used_engine()) {
    std::vector<platforms::Description> told_apart;
    for (const auto& machine : machines_) told_apart.push_back(machine.description());
    netsim::expect_told_apart(std::move(told_apart), {*engine});
  }
  for (const auto& machine : machines_) {
    auto& on_machine = allocators_.emplace_back();
    for (const auto& allocator : spec_.allocators) on_machine.push_back(cosim::traits_of(allocator, machine));
  }
  for (std::size_t j = 0; j < spec_.jobs.size(); ++j) read_input(inputs_, spec_.jobs[j].text(), [&] { add_jobs(j); });
  find_lots();
  for (const auto& run : runs) add_runs(run);
}

void Sweep::add_jobs(std::size_t number) {
  const auto& jobs = *jobs_.emplace_back(spec_.jobs[number].open(spec_.reading, spec_.seed));
  const std::size_t with_events = spec_.and_without_events ? 1 : 0;
  for (std::size_t p = 0; p < machines_.size(); ++p)
    cosim::check_jobs(request({.platform = p, .workload = number, .events = with_events}, jobs));
}

void Sweep::find_lots() {
  times_draw_lots_ = spec_.times == cosim::ScheduleRequest::Times::epochs;
  for (const auto& map : spec_.maps) map_draws_lots_.push_back(spec_.has_programs() && map.make()->uses_seed());
  const bool all_map_by_lot = spec_.maps.size() == 1 && map_draws_lots_[0];  // all runs have that mapper
  const bool settings_draw_lots = spec_.options.failures.mtbf > 0 || all_map_by_lot ||
                                  spec_.times == cosim::ScheduleRequest::Times::modelled ||
                                  (spec_.has_programs() && spec_.programs.rules.draws_lots());
  for (const auto& jobs : jobs_) shares_lots_.push_back(settings_draw_lots || jobs->uses_seed());
}

void Sweep::add_runs(const Run& first) {
  cosim::check(request(first, *jobs_[first.workload]));
  auto run = first;
  const auto repeats = draws_lots(first) ? spec_.repeats : 1;
  for (; run.repetition < repeats; ++run.repetition) runs_.push_back(run);
}

std::string_view Sweep::paired_by(const Run& run) const {
  const bool several = spec_.repeats > 1 && draws_lots(run);
  return !several ? "job" : shares_lots(run.workload) ? "seed" : "";
}

Json Sweep::name(const Run& run) const {
  auto name = names_json(names_, run);
  name["seed"] = seed(run);
  return name;
}

cosim::ScheduleRequest Sweep::request(const Run& run, const jobs::Jobs& jobs) const {
  cosim::ScheduleRequest request{machines_[run.platform], jobs, spec_.schedulers[run.scheduler],
                                 spec_.allocators[run.alloc]};
  static_cast<cosim::ScheduleSettings&>(request) = spec_;
  request.programs.map = spec_.maps[run.map];
  request.seed = seed(run);
  if (spec_.and_without_events && run.events == 0) request.options.failures.outages.clear();
  return request;
}

std::string Sweep::work(std::size_t number) const {
  TOROID_ASSERT(number < runs_.size());
  const auto& run = runs_[number];
  const auto work_with = [&](const jobs::Jobs& jobs, bool are_checked) {
    auto asked = request(run, jobs);
    asked.jobs_are_checked = are_checked;
    SegmentRecorder recorder(asked.machine, jobs, spec_.options.failures.any_daily());
    asked.observers.push_back(&recorder);
    const auto result = cosim::result_json(cosim::run_schedule(asked));
    return core::json_text(Json{{"result", result}, {"segments", recorder.segments().json()}});
  };
  if (!jobs_[run.workload]->uses_seed()) return work_with(*jobs_[run.workload], true);
  return work_with(*spec_.jobs[run.workload].open(spec_.reading, spec_.seed + run.repetition), false);
}

std::vector<SweepRow> run_sweep(const Sweep& sweep, Executor& executor, Journal* journal) {
  std::vector<SweepRow> rows;
  for (const auto& run : sweep.runs()) rows.push_back({run});
  std::vector<std::size_t> tasks(rows.size());
  std::iota(tasks.begin(), tasks.end(), std::size_t{0});
  do_tasks(
      "scheduling", tasks, [&](std::size_t task) { return sweep.name(sweep.runs()[task]); }, executor, journal,
      [&](std::size_t task, const Json& done, const std::string& error) {
        rows[task].error = error;
        if (done.is_null()) return;
        const auto& result = rows[task].result = done.at("result");
        for (const auto& metric : cosim::schedule_metrics()) result.at(metric.name).get<double>();
        for (const auto* field : {"first_submission_s", "last_end_s"}) result.at(field).get<double>();
        cosim::events_from(result.value("events", Json::array()));
        rows[task].segments = JobSegments::of(done.at("segments"));
      });
  TOROID_ASSERT(rows.size() == sweep.runs().size());
  return rows;
}

Sample SweepGroup::values(std::string_view field) const {
  Sample values;
  for (const auto* row : rows) values.push_back(row->result.at(field).get<double>());
  return values;
}

double SweepGroup::mean(std::string_view field) const {
  return study::mean(values(field));
}

std::vector<SweepGroup> sweep_groups(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  std::vector<SweepGroup> groups;
  for (const auto& row : rows) {
    if (row.run.repetition == 0) groups.push_back({row.run, sweep.draws_lots(row.run)});
    TOROID_ASSERT(!groups.empty() && without({}, groups.back().run) == without({}, row.run));
    if (!row.result.is_null()) groups.back().rows.push_back(&row);
  }
  return groups;
}

}  // namespace toroid::study
