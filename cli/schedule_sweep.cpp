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
#include "jobs/jobs_source.hpp"
#include "study/sweep.hpp"
#include "views/sweep_chart.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Sweep;

study::SweepSpec sweep_spec(const ScheduleOptions& o) {
  study::SweepSpec spec;
  static_cast<cosim::ScheduleSettings&>(spec) = o.run_settings();
  spec.platforms = {o.what_if.apply(o.platform)};
  for (const auto& platform : o.more_platforms) spec.platforms.push_back(o.what_if.apply(platform));
  spec.jobs = {jobs::JobsSource(o.jobs)};
  spec.jobs.insert(spec.jobs.end(), o.more_jobs.begin(), o.more_jobs.end());
  spec.schedulers = o.schedulers;
  spec.allocators = o.allocators;
  spec.maps = o.programs.maps;
  spec.repeats = o.repeats;
  spec.seed = o.seed;
  spec.reading = o.reading();
  return spec;
}

Json manifest(const ScheduleOptions& o, const Sweep& sweep) {
  const auto& s = sweep.spec();
  Json manifest{{"toroid", version},
                {"command", "schedule"},
                {"arguments", o.arguments},
                {"platforms", s.platforms},
                {"jobs", core::texts_of(s.jobs)},
                {"inputs", inputs_json()},
                {"schedulers", core::texts_of(s.schedulers)},
                {"allocators", core::texts_of(s.allocators)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  if (s.has_programs()) manifest["maps"] = core::texts_of(s.maps);
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
  json["paired_by"] = sweep.paired_by(row.run);
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

Json interval_json(const std::optional<study::Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

/// How a contender differs from the best one in a field; null if nothing tells it.
Json from_best_json(const study::FromBest* from_best) {
  if (from_best == nullptr) return {};
  const auto& d = from_best->difference;
  const bool tested = !d.test.empty(), paired = !d.paired_by.empty();
  return {{"mean", d.mean},
          {"interval", interval_json(d.interval)},
          {"test", tested ? Json(d.test) : Json()},
          {"paired_by", paired ? Json(d.paired_by) : Json()},
          {"pairs", paired ? Json(d.pairs) : Json()},
          {"effective_pairs", paired ? Json(d.effective_pairs) : Json()},
          {"p", tested ? Json(d.p) : Json()},
          {"p_holm", tested ? Json(from_best->p_holm) : Json()}};
}

Json summary_json(const Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  auto list = Json::array();
  for (const auto& group : groups) {
    Json json = sweep.name(group.first);
    json.erase("seed");
    json["runs"] = group.rows.size();
    const bool any = !group.rows.empty();
    for (const auto& field : study::sweep_fields()) json[field] = any ? Json(group.mean(field)) : Json();
    for (const auto& field : study::sweep_fields())
      json["intervals"][field] = interval_json(study::interval_of_mean(group.values(field)));
    json["is_best"] = group.is_best;
    const auto judged = from_best_json(group.find(sweep.judged_by()));
    for (const auto* key : {"test", "paired_by", "p_holm"}) json[key] = judged.is_null() ? Json() : judged[key];
    for (const auto& field : study::sweep_fields()) json["from_best"][field] = from_best_json(group.find(field));
    list.push_back(json);
  }
  return list;
}

/// `+2.13 % (+0.90 to +3.36)`: the mean difference and its interval, over the mean of the best.
std::string over_best(const study::FromBest& from_best) {
  if (from_best.best <= 0) return "-";
  const auto& d = from_best.difference;
  const auto percent = [&](double difference) { return fmt::format("{:+.2f}", 100 * difference / from_best.best); };
  const auto mean = percent(d.mean) + " %";
  return d.interval ? fmt::format("{} ({} to {})", mean, percent(d.interval->low), percent(d.interval->high)) : mean;
}

std::string test_in_words(const study::Difference& d) {
  if (d.test.empty()) return d.paired_by == "job" ? "none: jobs too much alike" : "-";
  if (d.paired_by == "seed") return fmt::format("signed-rank, {} seeds", d.pairs);
  if (d.paired_by == "job") return fmt::format("t, {} segments of jobs, worth {:.3g}", d.pairs, d.effective_pairs);
  return d.test == study::mann_whitney_name ? "Mann-Whitney, not in pairs" : "sign";
}

/// What it takes to tell the contenders apart, if their seeds are too few for that; else nothing.
std::string too_few_seeds(const Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  constexpr double level = 0.05;
  const auto tests = static_cast<double>(sweep.spec().allocators.size() * sweep.spec().maps.size() - 1);
  const auto least = [&](std::size_t pairs) { return tests * study::least_p(study::signed_rank_name, pairs, pairs); };
  for (const auto& group : groups) {
    const auto* found = group.find(sweep.judged_by());
    if (found == nullptr || found->difference.paired_by != "seed" || least(found->difference.pairs) < level) continue;
    std::size_t needed = found->difference.pairs;
    while (least(needed) >= level) ++needed;
    return fmt::format("{} seeds are too few to show a difference at the level of 0.05: at least {} are needed\n",
                       found->difference.pairs, needed);
  }
  return {};
}

std::string table(const Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  const bool maps = sweep.spec().has_programs();
  std::vector<std::string> header{"machine", "jobs", "scheduler", "allocator"};
  if (maps) header.emplace_back("map");
  header.insert(header.end(),
                {"runs", "pairwise hops", "makespan", "utilization", "wait", "response", "over best", "p", "test"});
  core::Table table(header);
  const auto judged_by = sweep.judged_by();
  for (const auto& group : groups) {
    const auto name = sweep.name(group.first);
    const auto text = [&](const char* key) { return name[key].get<std::string>(); };
    std::vector<std::string> row{text("platform"), text("workload"), text("scheduler"), text("alloc")};
    if (maps) row.push_back(text("map"));
    row.push_back(std::to_string(group.rows.size()));
    for (const auto& field : study::sweep_fields())
      row.push_back(group.rows.empty() ? "-"
                                       : fmt::format("{:.{}g}", group.mean(field), field == "makespan_s" ? 9 : 6));
    const auto* found = group.find(judged_by);
    const bool tested = found != nullptr && !found->difference.test.empty();
    row.push_back(group.is_best ? "best" : found == nullptr ? "-" : over_best(*found));
    row.push_back(tested ? fmt::format("{:.2g}", found->p_holm) : "-");
    row.push_back(found != nullptr ? test_in_words(found->difference) : "-");
    table.add(row);
  }
  return table.text() + fmt::format(
                            "\nbest: the least {} of those beside it; over best: the mean difference from it, "
                            "with its 95 % confidence interval; p: how often chance makes one as large\n{}",
                            judged_by == "makespan_s" ? "makespan" : "pairwise hops", too_few_seeds(sweep, groups));
}

void refuse_pictures(const ScheduleOptions& o) {
  for (const auto& [option, path] : {std::pair{"--jobs-csv", o.jobs_csv},
                                     {"--timeline-csv", o.timeline_csv},
                                     {"--gantt", o.gantt},
                                     {"--html", o.html},
                                     {"--columns", o.columns},
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
  const auto groups = study::sweep_groups(sweep, rows);
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

void sweep_schedules(const ScheduleOptions& o) {
  refuse_pictures(o);
  const Sweep sweep(sweep_spec(o));
  with_workers([&](std::size_t task) { return sweep.work(task); }, o.workers,
               [&](study::Executor& executor) { run(o, sweep, executor); });
}

}  // namespace toroid::cli
