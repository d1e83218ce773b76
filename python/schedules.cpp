#include "core/context.hpp"
#include "core/json.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/schedule.hpp"
#include "jobs/jobs_source.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/job_observers.hpp"
#include "study/trade_offs.hpp"

namespace toroid::python {
namespace {

using cosim::ScheduleRequest;
using Texts = std::vector<std::string>;

/// One of a few words.
template <class T>
T choice(py::dict& keywords, const char* name, const std::vector<std::pair<std::string, T>>& words) {
  const auto found = take_text(keywords, name, words.front().first);
  std::vector<std::string> valid;
  for (const auto& [word, value] : words) {
    if (word == found) return value;
    valid.push_back(word);
  }
  core::fail_input("{}: found '{}', expected {}", name, found, core::either(valid));
}

cosim::Options take_options(py::dict& keywords) {
  cosim::Options options;
  const auto estimates = take_text(keywords, "estimates", "log");
  core::in_context("estimates", [&] { cosim::read_estimates(estimates, options); });
  options.kill = take<bool>(keywords, "kill", false);
  options.dynamic = take<bool>(keywords, "dynamic", false);
  options.too_large = choice<cosim::Options::TooLarge>(
      keywords, "too_large", {{"fail", cosim::Options::TooLarge::fail}, {"reject", cosim::Options::TooLarge::reject}});
  options.failed_job = choice<netsim::OnFailedJob>(
      keywords, "failing", {{"fail", netsim::OnFailedJob::stop}, {"go-on", netsim::OnFailedJob::go_on}});
  constexpr double hour = 3600, most_hours = 1e6;
  options.failures.mtbf = take_number<double>(keywords, "mtbf_hours", 0, 0, most_hours) * hour;
  options.failures.repair = take_number<double>(keywords, "repair_hours", 4, 0, most_hours) * hour;
  for (const auto& text : take<std::vector<std::string>>(keywords, "at", {}))
    options.failures.outages.push_back(cosim::read_outage(text));
  options.failures.requeues = take_number<std::int32_t>(keywords, "requeue", 10, 0, 1'000'000);
  return options;
}

void take_programs(py::dict& keywords, cosim::ScheduleSettings& settings) {
  using Times = cosim::ScheduleSettings::Times;
  settings.times = choice<Times>(keywords, "times",
                                 {{"logged", Times::logged}, {"replayed", Times::replayed}, {"epochs", Times::epochs}});
  const auto rules = take<std::vector<std::string>>(keywords, "programs", {});
  const auto map = take_text(keywords, "map", settings.programs.map.text());
  const auto ranks_per_node = take_number<std::int32_t>(keywords, "ranks_per_node", 1, 1, 1'000'000);
  const auto alone = take<bool>(keywords, "alone", true);
  const auto reference = take_text(keywords, "reference", "mc1x1");
  if (const auto engine = take_text(keywords, "engine", ""); !engine.empty()) settings.engine.emplace(engine);
  settings.windows = take_number<std::size_t>(keywords, "windows", 0, 0, most_windows);
  const auto replay = take_replay(keywords);
  if (settings.times == Times::logged && (!rules.empty() || settings.windows > 0))
    core::fail_input("{}: expected times=\"replayed\" or \"epochs\", found \"logged\"",
                     rules.empty() ? "windows" : "programs");
  settings.programs = {rules, map, ranks_per_node, replay, alone, reference};
}

jobs::Reading take_reading(py::dict& keywords) {
  return take<bool>(keywords, "lenient", false) ? jobs::Reading::lenient : jobs::Reading::strict;
}

/// The result as JSON text, and the tables of jobs and instants as CSV.
py::tuple schedule(const HeldMachine& machine, const std::string& jobs_text, const std::string& name,
                   py::dict keywords) {
  const auto scheduler = take_text(keywords, "scheduler", "easy");
  const auto allocator = take_text(keywords, "allocator", "consecutive");
  const auto seed = take<std::uint64_t>(keywords, "seed", 1);
  const bool timeline = take<bool>(keywords, "timeline", false);
  cosim::ScheduleSettings settings;
  settings.options = take_options(keywords);
  take_programs(keywords, settings);
  const auto how = take_reading(keywords);
  check_empty(keywords);
  auto texts = run([&] {
    const auto jobs = jobs::open_jobs(jobs_text, how, seed);
    ScheduleRequest request{*machine.machine, *jobs, scheduler, allocator};
    static_cast<cosim::ScheduleSettings&>(request) = settings;
    request.seed = seed;
    std::string jobs_csv, timeline_csv;
    cosim::JobsCsv lines(*machine.machine, name, settings.has_programs(),
                         [&](std::string_view line) { jobs_csv += line; });
    std::optional<cosim::TimelineCsv> instants;
    std::optional<study::JobCorrelations> correlations;
    request.observers = {&lines};
    if (settings.has_programs()) request.observers.push_back(&correlations.emplace(*machine.machine));
    if (timeline)
      request.observers.push_back(
          &instants.emplace(*machine.machine, [&](std::string_view line) { timeline_csv += line; }));
    const auto result = cosim::run_schedule(request);
    core::Json json{{"schema_version", core::schema_version}};
    json.update(cosim::result_json(result));
    if (correlations) json["correlations"] = correlations->json();
    json["left_out"] = jobs->counts().dropped();
    return std::tuple(core::json_text(json), std::move(jobs_csv), std::move(timeline_csv));
  });
  return py::make_tuple(std::get<0>(texts), py::bytes(std::get<1>(texts)), py::bytes(std::get<2>(texts)));
}

/// The rows and the summary of a sweep as JSON text.
std::string sweep(const Texts& machines, const Texts& jobs, const Texts& schedulers, const Texts& allocators,
                  py::dict keywords) {
  study::SweepSpec spec;
  spec.repeats = take<std::size_t>(keywords, "repeat", 1);
  spec.seed = take<std::uint64_t>(keywords, "seed", 1);
  auto workers = take<std::size_t>(keywords, "workers", 0);
  const auto maps = take<Texts>(keywords, "maps", {spec.programs.map.text()});
  if (keywords.contains("map")) core::fail_input("map: expected maps, a list, in a sweep");
  spec.options = take_options(keywords);
  take_programs(keywords, spec);
  spec.reading = take_reading(keywords);
  check_empty(keywords);
  if (spec.repeats < 1) core::fail_input("repeat: found 0, expected 1 or more");
  for (const auto* some : {&machines, &jobs, &schedulers, &allocators, &maps})
    if (some->empty()) core::fail_input("expected at least one machine, log of jobs, scheduler, allocator and map");
  if (workers == 0) workers = study::default_workers(1);
  return run([&] {
    spec.platforms.assign(machines.begin(), machines.end());
    spec.jobs.assign(jobs.begin(), jobs.end());
    spec.schedulers = core::choices_of<cosim::SchedulerChoice>(schedulers);
    spec.allocators = core::choices_of<alloc::AllocatorChoice>(allocators);
    spec.maps = core::choices_of<mapping::MapperChoice>(maps);
    const auto made = std::make_shared<const study::Sweep>(spec);
    const auto executor = study::make_local_executor([&](std::size_t run) { return made->work(run); }, workers);
    const auto judged = study::judge(made, *executor, nullptr);
    core::Json verdicts = core::Json::array();
    for (const auto& found : judged.trade_offs) verdicts.push_back(study::verdict_text(*made, judged.groups, found));
    core::Json json{{"schema_version", core::schema_version}};
    json.update(study::judged_json(judged));
    json["verdicts"] = std::move(verdicts);
    return core::json_text(json);
  });
}

}  // namespace

void add_schedules(py::module_& module) {
  module.def("schedule", schedule, py::arg("machine"), py::arg("jobs"), py::arg("name"), py::arg("keywords"));
  module.def("sweep", sweep, py::arg("machines"), py::arg("jobs"), py::arg("schedulers"), py::arg("allocators"),
             py::arg("keywords"));
}

}  // namespace toroid::python
