#include "cli/commands/schedule_options.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/sweep_outputs.hpp"
#include "core/csv.hpp"
#include "cosim/outages.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Sweep;

study::SweepSpec sweep_spec(const ScheduleOptions& o) {
  study::SweepSpec spec;
  static_cast<cosim::ScheduleSettings&>(spec) = o.run_settings();
  spec.labels = o.labels;
  spec.platforms = {platforms::MachineSource(o.platform)};
  spec.platforms.insert(spec.platforms.end(), o.more_platforms.begin(), o.more_platforms.end());
  spec.jobs = {jobs::JobsSource(o.jobs)};
  spec.jobs.insert(spec.jobs.end(), o.more_jobs.begin(), o.more_jobs.end());
  spec.schedulers = o.schedulers;
  spec.allocators = o.allocators;
  spec.maps = o.programs.maps;
  spec.repeats = o.repeats;
  spec.seed = o.seed;
  spec.reading = o.reading();
  spec.and_without_events = o.and_without;
  return spec;
}

Json manifest(const ScheduleOptions& o, const Sweep& sweep) {
  const auto& s = sweep.spec();
  Json manifest{{"toroid", version},
                {"command", "schedule"},
                {"arguments", o.arguments},
                {"platforms", core::texts_of(s.platforms)},
                {"jobs", core::texts_of(s.jobs)},
                {"inputs", inputs_json()},
                {"schedulers", core::texts_of(s.schedulers)},
                {"allocators", core::texts_of(s.allocators)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  if (s.and_without_events) manifest["and_without"] = true;
  if (s.has_programs()) manifest["maps"] = core::texts_of(s.maps);
  manifest.update(o.settings());
  manifest["provenance"] = provenance_json(core::texts_of(s.platforms));
  return manifest;
}

/// What the results of all runs depend on, whichever they are. `results` grows with what is kept of a run: a journal
/// that has less is not taken.
Json settings(const ScheduleOptions& o) {
  Json settings{{"toroid", version}, {"command", "schedule"}, {"results", 2}};
  settings.update(o.settings());
  return settings;
}

/// Outages without effect, for each machine with each log by the first of their runs.
std::string without_effect(const study::JudgedSweep& judged) {
  std::string text;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  const auto& labels = judged.sweep->spec().labels;
  for (const auto& row : *judged.rows) {
    if (row.result.is_null()) continue;
    const auto [platform, workload] = std::pair(row.run.platform, row.run.workload);
    const auto events = cosim::events_from(row.result.value("events", Json::array()));
    if (const auto said = out_of_time(events, row.result["first_submission_s"], row.result["last_end_s"]);
        !said.empty() && seen.emplace(platform, workload).second)
      text += fmt::format("\n{} on {}\n{}", labels.workloads[workload], labels.platforms[platform], said);
  }
  return text;
}

void refuse_pictures(const ScheduleOptions& o) {
  for (const auto& [option, path] : {std::pair{"--jobs-csv", o.jobs_csv},
                                     {"--timeline-csv", o.timeline_csv},
                                     {"--machine-states-csv", o.machine_states_csv},
                                     {"--gantt", o.gantt},
                                     {"--columns", o.columns},
                                     {"--windows", o.windows > 0 ? "given" : ""}})
    if (!std::string_view(path).empty())
      core::fail_input("{} tells of one run, and this is a sweep: give one of each, and neither --csv nor --svg",
                       option);
}

void run(const ScheduleOptions& o, const std::shared_ptr<const Sweep>& sweep, study::Executor& executor) {
  const auto record = manifest(o, *sweep);
  Json whole;
  study::JudgedSweep judged;
  Outputs outputs;
  outputs.add(o.csv, [&] { return core::csv_of(whole["rows"]); });
  outputs.add(o.html, [&] { return sweep_page(judged, without_effect(judged), record); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add_svg(o.svg, [&] { return views::sweep_svg(swept_contenders(judged), o.axes[0], o.axes[1]); });
  const auto journal = open_journal(o.csv, settings(o), sweep->inputs(), outputs);
  judged = study::judge_sweep(sweep, executor, journal.get());
  whole = {{"schema_version", core::schema_version}, {"manifest", record}};
  whole.update(study::sweep_json(judged));
  outputs.write();
  if (!outputs.to_stdout()) print(sweep_table(judged) + sweep_verdicts(judged) + without_effect(judged));
  const auto& rows = *judged.rows;
  const auto failed = [](const study::SweepRow& row) { return !row.error.empty(); };
  const auto first = std::find_if(rows.begin(), rows.end(), failed);
  if (first != rows.end())
    throw core::SimulationError(fmt::format("{} of {} runs failed, the first {}: {}",
                                            std::count_if(first, rows.end(), failed), rows.size(),
                                            core::json_text(sweep->name(first->run)), first->error));
}

}  // namespace

void sweep_schedules(const ScheduleOptions& o) {
  refuse_pictures(o);
  const auto sweep = std::make_shared<const Sweep>(sweep_spec(o));
  run(o, sweep, *study::make_local_executor([&](std::size_t task) { return sweep->work(task); }, o.workers));
}

}  // namespace toroid::cli
