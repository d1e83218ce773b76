#include "cli/commands/schedule_options.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/outages.hpp"
#include "jobs/formats/log.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/trade_offs.hpp"

namespace toroid::python {
namespace {

using cosim::ScheduleRequest;
using Texts = std::vector<std::string>;

/// Takes what `toroid schedule` is told of a run.
cli::ScheduleOptions take_options(py::dict& keywords) {
  cli::ScheduleOptions told;
  told.seed = take<std::uint64_t>(keywords, "seed", 1);
  for (const auto& table : {cli::run_options(told), cli::program_options(told.programs), cli::windows_options(told),
                            cli::reading_options(told)})
    take(keywords, table);
  if (!told.programs.any() && (!told.programs.rules.empty() || told.windows > 0))
    core::fail_input("{}: expected times=\"replayed\" or \"epochs\", found \"logged\"",
                     told.programs.rules.empty() ? "windows" : "programs");
  return told;
}

/// Jobs by their text, or, where Python has a frame of this name, the names of its columns and the texts of its rows.
jobs::JobsSource jobs_of(const std::string& name, const py::object& frame) {
  if (frame.is_none()) return name;
  auto [columns, rows] = frame.cast<std::pair<Texts, std::vector<Texts>>>();
  return {name, [=](jobs::Reading reading) { return jobs::jobs_of_table(name, columns, rows, reading); }};
}

/// What a single schedule is told.
struct ToldSchedule {
  std::string scheduler, allocator;
  bool timeline;
  cli::ScheduleOptions options;
};

ToldSchedule take_schedule(py::dict& keywords) {
  ToldSchedule told{take_text(keywords, "scheduler", "easy"), take_text(keywords, "allocator", "consecutive"),
                    take<bool>(keywords, "timeline", false), take_options(keywords)};
  told.options.programs.maps = {take_text(keywords, "map", told.options.programs.maps[0].text())};
  return told;
}

/// The result as JSON text, and the tables of jobs and instants as CSV.
py::tuple schedule(const HeldMachine& machine, const std::pair<std::string, py::object>& given, py::dict keywords) {
  const auto [scheduler, allocator, timeline, told] = take_schedule(keywords);
  const auto settings = told.run_settings();
  check_empty(keywords);
  const auto& name = given.first;
  const auto source = jobs_of(name, given.second);
  auto texts = run([&, timeline = timeline] {
    const auto jobs = source.open(told.reading(), told.seed);
    ScheduleRequest request{*machine.machine, *jobs, scheduler, allocator};
    static_cast<cosim::ScheduleSettings&>(request) = settings;
    request.seed = told.seed;
    std::string jobs_csv, timeline_csv;
    cosim::JobsCsv lines(*machine.machine, name, settings.has_programs(),
                         [&](std::string_view line) { jobs_csv += line; });
    std::optional<cosim::TimelineCsv> instants;
    request.observers = {&lines};
    if (timeline)
      request.observers.push_back(
          &instants.emplace(*machine.machine, [&](std::string_view line) { timeline_csv += line; }));
    const auto result = cosim::run_schedule(request);
    core::Json json{{"schema_version", core::schema_version}};
    json.update(cosim::result_json(result));
    json["left_out"] = jobs->counts().dropped();
    return std::tuple(core::json_text(json), std::move(jobs_csv), std::move(timeline_csv));
  });
  return py::make_tuple(std::get<0>(texts), py::bytes(std::get<1>(texts)), py::bytes(std::get<2>(texts)));
}

study::SweepSpec take_sweep(py::dict& keywords, std::size_t& workers) {
  study::SweepSpec spec;
  for (const auto* name : {"schedulers", "allocators"}) note_keyword(keywords, name, "Names");
  spec.repeats = take_number<std::size_t>(keywords, "repeat", 1, 1, study::most_repeats);
  workers = take_number<std::size_t>(keywords, "workers", 0, 0, 4096);
  const auto maps = take_texts(keywords, "maps", {spec.programs.map.text()});
  if (maps.empty()) core::fail_input("maps: found none, expected at least one");
  if (keywords.contains("map")) core::fail_input("map: expected maps, a list, in a sweep");
  const auto told = take_options(keywords);
  static_cast<cosim::ScheduleSettings&>(spec) = told.run_settings();
  spec.maps = core::choices_of<mapping::MapperChoice>(maps);
  spec.reading = told.reading();
  spec.seed = told.seed;
  return spec;
}

/// The rows and the summary of a sweep as JSON text.
std::string sweep(const Texts& machines, const Things& jobs, const Texts& schedulers, const Texts& allocators,
                  py::dict keywords) {
  std::size_t workers = 0;
  auto spec = take_sweep(keywords, workers);
  check_empty(keywords);
  if (jobs.empty()) core::fail_input("expected at least one log of jobs");
  for (const auto* some : {&machines, &schedulers, &allocators})
    if (some->empty()) core::fail_input("expected at least one machine, scheduler and allocator");
  for (const auto& [name, frame] : jobs) spec.jobs.push_back(jobs_of(name, frame));
  return run([&] {
    spec.platforms.assign(machines.begin(), machines.end());
    spec.schedulers = core::choices_of<cosim::SchedulerChoice>(schedulers);
    spec.allocators = core::choices_of<alloc::AllocatorChoice>(allocators);
    const auto made = std::make_shared<const study::Sweep>(spec);
    const auto executor = study::make_local_executor([&](std::size_t run) { return made->work(run); }, workers);
    const auto judged = study::judge_sweep(made, *executor, nullptr);
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
  note_function("schedule", [](py::dict& keywords) { take_schedule(keywords); });
  note_function("sweep", [workers = std::size_t{0}](py::dict& keywords) mutable { take_sweep(keywords, workers); });
  module.def("schedule", schedule, py::arg("machine"), py::arg("jobs"), py::arg("keywords"));
  module.def("sweep", sweep, py::arg("machines"), py::arg("jobs"), py::arg("schedulers"), py::arg("allocators"),
             py::arg("keywords"));
}

}  // namespace toroid::python
