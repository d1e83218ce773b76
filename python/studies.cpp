#include <list>

#include "cli/commands/schedule_options.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/outages.hpp"
#include "jobs/formats/log.hpp"
#include "mapping/given.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/opinions.hpp"
#include "study/trade_offs.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::python {
namespace {

using Texts = std::vector<std::string>;

struct ToldStudy {
  study::ComparisonSpec spec;
  Texts engines;
  bool verify;
  double alpha;
  std::string baseline;
  std::size_t workers;
};

ToldStudy take_study(py::dict& keywords) {
  ToldStudy told;
  auto& spec = told.spec;
  spec.repeats = take_number<std::size_t>(keywords, "repeat", 1, 1, study::most_repeats);
  spec.seed = take<std::uint64_t>(keywords, "seed", 1);
  told.engines = take_texts(keywords, "engine", {std::string(netsim::fast_engine)});
  told.verify = take<bool>(keywords, "verify", true);
  told.alpha = take<double>(keywords, "alpha", 0.05);
  told.baseline = take_text(keywords, "baseline", "");
  told.workers = take_number<std::size_t>(keywords, "workers", 0, 0, 4096);
  spec.matrix = take_matrix(keywords);
  const auto allocs = take_texts(keywords, "alloc", {});
  spec.placements.assign(std::max<std::size_t>(1, allocs.size()), take_placement(keywords));
  note_keyword(keywords, "alloc", "Texts");
  for (std::size_t i = 0; i < allocs.size(); ++i) spec.placements[i].alloc.emplace(allocs[i]);
  if (!allocs.empty() && !spec.placements[0].nodes.empty())
    core::fail_input("alloc: found nodes as well, expected one of them");
  const auto collectives = take_texts(keywords, "collectives", {});
  spec.options = take_replay(keywords);
  note_keyword(keywords, "collectives", "Texts");
  for (const auto& choice : collectives) spec.collectives.push_back(workloads::CollectiveChoice::parse(choice));
  if (!(told.alpha > 0 && told.alpha < 1))
    core::fail_input("alpha: found {}, expected a number between 0 and 1", told.alpha);
  return told;
}

/// The report of a comparison as JSON text: docs/reference/results.md has its fields.
std::string compare(const Texts& machines, const Things& traces, const Things& maps,
                    const std::tuple<Texts, Texts, Texts>& labels, py::dict keywords) {
  auto told = take_study(keywords);
  check_empty(keywords);
  if (machines.empty() || traces.empty() || maps.empty() || told.engines.empty())
    core::fail_input("expected at least one machine, trace, map and engine");
  auto& spec = told.spec;
  spec.platforms.assign(machines.begin(), machines.end());
  spec.labels = {std::get<0>(labels), std::get<1>(labels), std::get<2>(labels), {}};
  for (const auto& [name, trace] : traces) spec.traces.push_back(source_of(name, trace));
  std::list<mapping::GivenMapping> given;
  for (const auto& [text, nodes] : maps) {
    const auto& label = std::get<2>(labels)[spec.maps.size()];
    const auto path = text.substr(text.find(':') + 1);  // `file:PATH`
    if (!nodes.is_none()) given.emplace_back(path, label, mapping::Mapping(nodes_in(nodes, label)));
    spec.maps.emplace_back(text);
  }
  return run([&] {
    if (!told.baseline.empty()) spec.gains_over = study::contender_named(spec, told.baseline, "baseline");
    spec.engine = told.engines.front();
    spec.opinions.assign(told.engines.begin() + 1, told.engines.end());
    spec.verify = told.verify && spec.engine.name() != netsim::reference_engine;
    const study::Comparison comparison(spec);
    const auto executor =
        study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, told.workers);
    core::Json json{{"schema_version", core::schema_version}, {"manifest", study::manifest_of(spec, told.alpha)}};
    json.update(study::compared_json(study::compare(comparison, *executor, nullptr, told.alpha)));
    return core::json_text(json);
  });
}

// Schedules

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
    cosim::ScheduleRequest request{*machine.machine, *jobs, scheduler, allocator};
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

void add_studies(py::module_& module) {
  note_function("compare", [](py::dict& keywords) { take_study(keywords); });
  note_function("schedule", [](py::dict& keywords) { take_schedule(keywords); });
  note_function("sweep", [workers = std::size_t{0}](py::dict& keywords) mutable { take_sweep(keywords, workers); });
  module.def("compare", compare, py::arg("machines"), py::arg("traces"), py::arg("maps"), py::arg("labels"),
             py::arg("keywords"));
  module.def("schedule", schedule, py::arg("machine"), py::arg("jobs"), py::arg("keywords"));
  module.def("sweep", sweep, py::arg("machines"), py::arg("jobs"), py::arg("schedulers"), py::arg("allocators"),
             py::arg("keywords"));
}

}  // namespace toroid::python
