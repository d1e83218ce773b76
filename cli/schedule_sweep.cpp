#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/outputs.hpp"
#include "cli/schedule_options.hpp"
#include "cli/study_setup.hpp"
#include "cli/version.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/table.hpp"
#include "study/sweep.hpp"
#include "views/sweep_chart.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Sweep;

study::SweepSpec sweep_spec(const ScheduleOptions& o) {
  study::SweepSpec spec;
  spec.platforms = {o.what_if.apply(o.platform)};
  for (const auto& platform : o.more_platforms) spec.platforms.push_back(o.what_if.apply(platform));
  spec.jobs = {o.jobs};
  spec.jobs.insert(spec.jobs.end(), o.more_jobs.begin(), o.more_jobs.end());
  spec.schedulers = o.schedulers;
  spec.allocators = o.allocators;
  spec.repeats = o.repeats;
  spec.seed = o.seed;
  spec.engine = o.engine;
  spec.options = o.options();
  spec.reading = o.reading();
  spec.times = o.programs.how_long();
  spec.programs = o.programs.options();
  spec.epochs = o.programs.epochs;
  return spec;
}

Json manifest(const ScheduleOptions& o, const Sweep& sweep) {
  const auto& s = sweep.spec();
  Json manifest{
      {"toroid", version},       {"command", "schedule"},      {"platforms", s.platforms},   {"jobs", s.jobs},
      {"inputs", inputs_json()}, {"schedulers", s.schedulers}, {"allocators", s.allocators}, {"repeat", s.repeats},
      {"seed", s.seed}};
  manifest.update(o.settings());
  return manifest;
}

/// What the results of all runs depend on, whichever they are.
Json settings(const ScheduleOptions& o) {
  Json settings{{"toroid", version}, {"command", "schedule"}};
  settings.update(o.settings());
  return settings;
}

/// A tidy row: what was run, then what came of it.
Json row_json(const Sweep& sweep, const study::SweepRow& row) {
  Json json = sweep.name(row.run);
  json["repetition"] = row.run.repetition;
  for (const auto& [key, value] : row.result.items())
    if (key != "allocator") json[key] = value;
  json["allocator"] = row.result.is_null() ? Json() : row.result.value("allocator", Json());
  json["error"] = row.error.empty() ? Json() : Json(row.error);
  return json;
}

/// All rows with the same keys, as a table needs them.
Json rows_json(const Sweep& sweep, const std::vector<study::SweepRow>& rows) {
  Json keys = Json::object();
  auto list = Json::array();
  for (const auto& row : rows)
    if (!row.result.is_null() && keys.empty()) keys = row_json(sweep, row);
  for (const auto& row : rows) {
    const auto found = row_json(sweep, row);
    Json whole = Json::object();
    for (const auto& [key, value] : (keys.empty() ? found : keys).items()) whole[key] = found.value(key, Json());
    list.push_back(whole);
  }
  return list;
}

Json summary_json(const Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  auto list = Json::array();
  for (const auto& group : groups) {
    Json json = sweep.name(group.first);
    json.erase("seed");
    json["runs"] = group.rows.size();
    for (const auto& field : sweep_fields()) json[field] = group.rows.empty() ? Json() : Json(group.mean(field));
    json["is_best"] = group.is_best;
    json["p_holm"] = group.p ? Json(*group.p) : Json();
    list.push_back(json);
  }
  return list;
}

std::string table(const Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  core::Table table({"machine", "jobs", "scheduler", "allocator", "runs", "pairwise hops", "makespan", "utilization",
                     "wait", "response", "p"});
  for (const auto& group : groups) {
    const auto name = sweep.name(group.first);
    const auto text = [&](const char* key) { return name[key].get<std::string>(); };
    std::vector<std::string> row{text("platform"), text("workload"), text("scheduler"), text("alloc"),
                                 std::to_string(group.rows.size())};
    for (const auto& field : sweep_fields())
      row.push_back(group.rows.empty() ? "-"
                                       : fmt::format("{:.{}g}", group.mean(field), field == "makespan_s" ? 9 : 6));
    row.push_back(group.is_best ? "best" : group.p ? fmt::format("{:.2g}", *group.p) : "-");
    table.add(row);
  }
  return table.text() +
         fmt::format("\nbest: the least {} of those beside it; p: that another one does not differ from it\n",
                     sweep.judged_by() == "makespan_s" ? "makespan" : "pairwise hops");
}

void refuse_pictures(const ScheduleOptions& o) {
  for (const auto& [option, path] : {std::pair{"--jobs-csv", o.jobs_csv},
                                     {"--timeline-csv", o.timeline_csv},
                                     {"--gantt", o.gantt},
                                     {"--windows", o.windows > 0 ? "given" : ""},
                                     {"--snapshot", o.snapshot ? "given" : ""}})
    if (!std::string_view(path).empty())
      core::fail_input("{} tells of one run, and this is a sweep: give one of each, and neither --csv nor --svg",
                       option);
}

void run(const ScheduleOptions& o, const Sweep& sweep, study::Executor& executor) {
  const auto record = manifest(o, sweep);
  Json whole;
  Outputs outputs;
  outputs.add(o.csv, [&] { return core::csv_of(whole["rows"]); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add_svg(o.svg, [&] { return views::line_chart_svg(views::sweep_chart(whole, o.axes[0], o.axes[1])); });
  const auto journal = open_journal(o.csv, settings(o), sweep.inputs(), outputs);
  const auto rows = run_sweep(sweep, executor, journal.get());
  const auto groups = study::sweep_groups(rows, sweep.judged_by());
  whole = {{"schema_version", core::schema_version},
           {"manifest", record},
           {"rows", rows_json(sweep, rows)},
           {"summary", summary_json(sweep, groups)}};
  outputs.write();
  if (!outputs.to_stdout()) print(table(sweep, groups));
  const auto failed = [](const study::SweepRow& row) { return !row.error.empty(); };
  const auto first = std::find_if(rows.begin(), rows.end(), failed);
  if (first != rows.end())
    throw core::SimulationError(fmt::format("{} of {} runs failed, the first {}: {}",
                                            std::count_if(first, rows.end(), failed), rows.size(),
                                            core::json_text(sweep.name(first->run)), first->error));
}

}  // namespace

const std::vector<std::string>& sweep_fields() {
  static const std::vector<std::string> fields{"avg_sum_pairwise_hops", "makespan_s", "utilization", "mean_wait_s",
                                               "mean_response_s"};
  return fields;
}

void sweep_schedules(const ScheduleOptions& o) {
  refuse_pictures(o);
  const Sweep sweep(sweep_spec(o));
  with_workers([&](std::size_t task) { return sweep.work(task); }, o.workers,
               [&](study::Executor& executor) { run(o, sweep, executor); });
}

}  // namespace toroid::cli
