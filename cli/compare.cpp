#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/commands.hpp"
#include "cli/computation_lines.hpp"
#include "cli/config.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/placement_arguments.hpp"
#include "cli/replay_arguments.hpp"
#include "cli/study_setup.hpp"
#include "cli/version.hpp"
#include "cli/watched_trace.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/inputs.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "study/comparison.hpp"
#include "study/opinions.hpp"
#include "study/parts.hpp"
#include "study/report.hpp"
#include "study/study.hpp"
#include "views/comparison.hpp"
#include "views/comparison_charts.hpp"
#include "views/labels.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Comparison;

struct CompareOptions {
  Json arguments;  ///< as they were given, for the manifest
  study::ComparisonSpec spec;
  std::vector<std::string> traces, maps{"consecutive", "random"}, what_ifs;
  std::vector<netsim::EngineChoice> engines;
  PlacementArguments placement;
  MachineArguments what_if;
  ReplayArguments replay;
  std::string matrix = "expanded", csv, json, svg, html, vega;
  double alpha = 0.05;
  bool no_verify = false;
  std::size_t jobs = 0;  ///< 0: as many as there are cores for them
  std::optional<study::Part> part;
  std::string part_file;
};

/// `FILE=LABEL`: the file keeps its place, the label, empty if there is none, is returned.
std::string take_label(std::string& name) {
  namespace fs = std::filesystem;
  const auto equals = name.rfind('=');
  std::error_code ignored;
  if (equals == std::string::npos || equals + 1 == name.size() || fs::exists(name, ignored) ||
      !fs::exists(name.substr(0, equals), ignored))
    return {};
  const auto label = name.substr(equals + 1);
  name.resize(equals);
  return label;
}

/// Takes labels off the names; what has none is called by its short name.
std::vector<std::string> take_labels(std::vector<std::string>& names) {
  std::vector<std::string> labels;
  for (auto& name : names) labels.push_back(take_label(name));
  const auto short_names = views::short_names(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (labels[i].empty()) labels[i] = short_names[i];
  return labels;
}

/// Each machine is followed by what the what-ifs make of it.
void add_what_ifs(study::ComparisonSpec& s, const std::vector<std::string>& what_ifs) {
  const auto machines = std::exchange(s.platforms, {});
  const auto labels = std::exchange(s.labels.platforms, {});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto baseline = s.platforms.size();
    const auto add = [&](const std::string& machine, const std::string& label) {
      s.platforms.push_back(machine);
      s.labels.platforms.push_back(label);
      s.baselines.push_back(baseline);
    };
    add(machines[i], labels[i]);
    for (const auto& change : what_ifs)
      add(machines[i] + (machines[i].find(':') == std::string::npos ? ":" : ",") + change, labels[i] + " " + change);
  }
}

/// What the results of all runs depend on, whichever they are.
Json settings(const CompareOptions& o) {
  Json settings{{"toroid", version}, {"command", "compare"}, {"matrix", o.matrix}};
  o.placement.record(settings);
  if (o.placement.is_allocated()) settings["nodes_seed"] = o.spec.seed;
  o.replay.record(settings);
  return settings;
}

/// All that the runs depend on.
Json manifest(const CompareOptions& o) {
  const auto& s = o.spec;
  Json manifest{{"toroid", version},
                {"command", "compare"},
                {"arguments", o.arguments},
                {"platforms", s.platforms},
                {"traces", core::texts_of(s.traces)},
                {"inputs", inputs_json()},
                {"maps", core::texts_of(s.maps)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  o.placement.record(manifest);
  o.replay.record(manifest);
  manifest["engine"] = s.engine.text();
  if (!s.opinions.empty()) manifest["opinions"] = core::texts_of(s.opinions);
  manifest["matrix"] = o.matrix;
  manifest["verify"] = s.verify;
  manifest["alpha"] = o.alpha;
  return manifest;
}

std::string percent_or_dash(const std::optional<double>& share) {
  return share ? core::format_percent(*share, 3) : "-";
}

std::string two_digits_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "-";
}

/// The unit in which all times of the groups are told.
core::DurationUnit time_unit(const std::vector<study::Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups) times.insert(times.end(), group.times.begin(), group.times.end());
  return core::DurationUnit(times);
}

/// The unit of all times with the computation that is left out; nothing if none is.
std::optional<core::DurationUnit> whole_unit(const std::vector<study::Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups)
    if (group.with_computation) times.push_back(*group.with_computation);
  return times.empty() ? std::nullopt : std::optional(core::DurationUnit(times));
}

/// The mean of a group that has one over that of the best it is compared with: mapper, or machine.
double over_best(const study::Report& report, const study::Group& group) {
  if (report.machines.empty()) return *group.normalized;
  const auto& machines = report.machines[group.trace];
  const double best = study::mean(machines.contenders[*machines.lowest_mean].times);
  return best > 0 ? study::mean(group.times) / best : 1;
}

/// The time with computation over the least that it is compared with, of another mapper or machine.
std::string whole_over_best(const study::Report& report, const study::Group& group) {
  if (!group.with_computation) return "-";
  if (report.machines.empty()) return fmt::format("{:.3f}", *group.whole_normalized);
  double least = *group.with_computation;
  for (const auto& other : report.groups)
    if (other.trace == group.trace && other.with_computation) least = std::min(least, *other.with_computation);
  return fmt::format("{:.3f}", least > 0 ? *group.with_computation / least : 1);
}

std::string summary_table(const study::ComparisonSpec& s, const study::Report& report) {
  const auto& groups = report.groups;
  const auto unit = time_unit(groups);
  const auto whole = whole_unit(groups);
  const auto titled = [&](const char* what) { return fmt::format("{} [{}]", what, unit.name()); };
  std::vector<std::string> titles{"machine",      "trace",           "map",      "runs", titled("best"),
                                  titled("mean"), titled("std dev"), "mean/best"};
  if (whole) titles.insert(titles.end(), {fmt::format("whole [{}]", whole->name()), "whole/best"});
  titles.push_back(fmt::format("vs {}", netsim::reference_engine));
  core::Table table(titles);
  for (const auto& group : groups) {
    const auto& times = group.times;
    const bool any = !times.empty();
    std::vector<std::string> row{s.labels.platforms[group.platform],
                                 s.labels.traces[group.trace],
                                 s.labels.maps[group.map],
                                 std::to_string(times.size()),
                                 any ? unit.format(*std::min_element(times.begin(), times.end())) : "-",
                                 any ? unit.format(study::mean(times)) : "-",
                                 times.size() > 1 ? unit.format(study::standard_deviation(times)) : "-",
                                 any ? fmt::format("{:.3f}", over_best(report, group)) : "-"};
    if (whole) {
      row.push_back(group.with_computation ? whole->format(*group.with_computation) : "-");
      row.push_back(whole_over_best(report, group));
    }
    row.push_back(percent_or_dash(group.off_reference));
    table.add(row);
  }
  auto text = table.text() + fmt::format("engine {}", s.engine.text());
  if (s.verify) text += fmt::format("; vs {0}: the best run beside the same by {0}", netsim::reference_engine);
  if (whole) text += "; whole: the median run again, with the computation that the other times leave out";
  return text + "\n";
}

/// What each trace computes on each machine, and what leaving that out hides; nothing where none computes.
std::string computation_table(const study::ComparisonSpec& s, const Json& whole) {
  const auto& cases = whole["computation"];
  if (std::none_of(cases.begin(), cases.end(), computes)) return {};
  core::Table table({"machine", "trace", "computation", "of the busiest rank", "of all ranks", "a core",
                     "a mapping gains of the whole"});
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& c = cases[i];
    if (!computes(c)) continue;
    const double scale = c["scale"];
    const auto& gain = c["gain_at_most"];
    table.add({s.labels.platforms[i / s.traces.size()], s.labels.traces[i % s.traces.size()],
               c["left_out"] ? "left out"
               : scale == 1  ? "included"
                             : fmt::format("times {}", scale),
               core::format_duration(c["busiest_rank_s"]), core::format_duration(c["all_ranks_s"]),
               c["core_speed"].is_null() ? "as measured" : core::exact_speed(c["core_speed"]),
               gain.is_null() ? "-" : fmt::format("{:.1f} % at most", 100 * gain.get<double>())});
  }
  return "\n" + table.text(core::terminal_width());
}

/// What each what-if does to the times of its machine; nothing without any.
std::string change_table(const study::ComparisonSpec& s, const study::Report& report) {
  if (report.changes.empty()) return {};
  const auto unit = time_unit(report.groups);
  const auto mean = [&](const study::Group& group) {
    return group.times.empty() ? "-" : unit.format(study::mean(group.times));
  };
  const bool whole = whole_unit(report.groups).has_value();
  std::vector<std::string> titles{
      "what-if", "trace", "map", fmt::format("before [{}]", unit.name()), fmt::format("mean [{}]", unit.name()),
      "change"};
  if (whole) titles.emplace_back("of the whole");
  core::Table table(titles);
  for (const auto& change : report.changes) {
    const auto &group = report.groups[change.group], &before = report.groups[change.baseline];
    std::vector<std::string> row{s.labels.platforms[group.platform],
                                 s.labels.traces[group.trace],
                                 s.labels.maps[group.map],
                                 mean(before),
                                 mean(group),
                                 change.relative ? core::format_percent(*change.relative, 2) : "-"};
    if (whole) row.push_back(change.whole ? core::format_percent(*change.whole, 2) : "-");
    table.add(row);
  }
  return "\n" + table.text();
}

std::string verdict_table(const study::ComparisonSpec& s, const study::Report& report,
                          const std::vector<study::Opinion>& opinions, double alpha) {
  const auto title = fmt::format("verdict (level of significance {})", alpha);
  if (!report.machines.empty()) {
    core::Table table({"trace", "map", title});
    for (std::size_t t = 0; t < report.machines.size(); ++t)
      table.add({s.labels.traces[t], s.labels.maps[0], report.machines[t].verdict});
    return "\n" + table.text(core::terminal_width());
  }
  std::vector<std::string> titles{"machine", "trace", title};
  for (const auto& engine : s.opinions) titles.push_back("holds under " + engine.text());
  core::Table table(titles);
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const auto& one = report.cases[i];
    std::vector<std::string> row{s.labels.platforms[one.platform], s.labels.traces[one.trace], one.mappers.verdict};
    for (const auto& opinion : opinions) row.push_back(study::holds(one.mappers, opinion.report.cases[i].mappers));
    table.add(row);
  }
  return "\n" + table.text(core::terminal_width());
}

/// How well each proxy foretells the run time; nothing where no proxy or no time varies.
std::string correlation_table(const study::Report& report, std::string_view time) {
  core::Table table(
      {fmt::format("correlation with {}", time), "Spearman (median)", "lowest", "highest", "Pearson (median)"});
  bool any = false;
  for (std::size_t p = 0; p < report.correlations.size(); ++p) {
    const auto& c = report.correlations[p];
    any = any || c.count > 0;
    table.add({study::proxies()[p].name, two_digits_or_dash(c.spearman_median), two_digits_or_dash(c.spearman_lowest),
               two_digits_or_dash(c.spearman_highest), two_digits_or_dash(c.pearson_median)});
  }
  return any ? "\n" + table.text() : "";
}

/// How many runs went wrong, and how the first; nothing if none did.
std::string failures(const study::ComparisonSpec& spec, const std::vector<study::Row>& rows) {
  const auto failed = [](const study::Row& row) {
    return !row.error.empty() || !row.verification_error.empty() || !row.with_computation_error.empty();
  };
  const auto first = std::find_if(rows.begin(), rows.end(), failed);
  if (first == rows.end()) return {};
  const auto [how, why] = !first->error.empty() ? std::pair("", first->error)
                          : !first->verification_error.empty()
                              ? std::pair(", verifying it", first->verification_error)
                              : std::pair(", with computation", first->with_computation_error);
  return fmt::format("{} of {} runs failed, the first on {} with {}, map {}, repetition {}{}: {}",
                     std::count_if(first, rows.end(), failed), rows.size(), spec.platforms[first->run.platform],
                     spec.traces[first->run.trace].text(), spec.maps[first->run.map].text(), first->run.repetition, how,
                     why);
}

void run(const CompareOptions& o, const Comparison& comparison, study::Executor& executor) {
  const auto& s = o.spec;
  announce_operations(comparison.operations());
  const auto record = manifest(o);
  Json whole;
  Outputs outputs;
  outputs.add(o.csv, [&] { return core::csv_of(whole["rows"]); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add_svg(o.svg, [&] { return views::comparison_svg(whole); });
  outputs.add(o.html, [&] { return views::comparison_html(whole); });
  outputs.add(o.vega, [&] { return views::comparison_vega(whole); });
  const auto journal = open_journal(o.csv, settings(o), comparison.inputs(), outputs);
  const auto rows = run_study(comparison, executor, journal.get());
  const auto report = study::make_report(comparison, rows, o.alpha);
  const auto opinions = study::ask_others(comparison, executor, journal.get(), o.alpha);
  whole = {{"schema_version", core::schema_version}, {"manifest", record}};
  for (std::size_t t = 0; t < s.traces.size(); ++t)
    whole["manifest"]["compute_used"].push_back(compute_in_words(comparison.computation(0, t).scale));
  whole.update(study::report_json(comparison, rows, report));
  study::add_opinions(whole, comparison, report, opinions);
  study::add_remarks(whole, comparison);
  outputs.write();
  if (!outputs.to_stdout())
    print(summary_table(s, report) + remark_lines(whole) + computation_table(s, whole) + change_table(s, report) +
          verdict_table(s, report, opinions, o.alpha) + correlation_table(report, views::time_in_words(whole)));
  auto error = failures(s, rows);
  for (const auto& opinion : opinions)
    if (error.empty()) error = failures(s, opinion.rows);
  if (!error.empty()) throw core::SimulationError(error);
}

/// Does a part of the runs, for toroid merge.
void run_part(const CompareOptions& o, const Comparison& comparison, study::Executor& executor) {
  Outputs none;
  const auto journal =
      open_journal_at(o.part_file, settings(o), comparison.inputs(), none, study::part_record(*o.part, o.arguments));
  journal->begin();
  const auto rows = run_study(comparison, executor, journal.get(), *o.part);
  add_failures(comparison, rows, *o.part, {}, *journal);
  auto error = failures(o.spec, rows);
  for (std::size_t k = 0; k < o.spec.opinions.size(); ++k) {
    const auto opinion = run_opinion(comparison, executor, journal.get(), k, *o.part);
    add_failures(comparison, opinion, *o.part, k, *journal);
    if (error.empty()) error = failures(o.spec, opinion);
  }
  print(fmt::format("part {} is in {}: {} of {} runs; toroid merge joins all parts\n", o.part->text(), o.part_file,
                    rows.size(), comparison.runs().size()));
  if (!error.empty()) throw core::SimulationError(error);
}

/// What --part has no use for, and what has none without it.
void check_part(const CompareOptions& o) {
  if (!o.part && !o.part_file.empty()) core::fail_input("-o is for --part K/N; a whole study has --csv and --json");
  if (!o.part) return;
  if (o.part_file.empty()) core::fail_input("--part {}: expected -o FILE, where the part goes", o.part->text());
  if (!Outputs::is_file(o.part_file)) core::fail_input("-o {}: is no regular file; expected one", o.part_file);
  for (const auto& [path, name] :
       {std::pair(&o.csv, "--csv"), {&o.json, "--json"}, {&o.svg, "--svg"}, {&o.html, "--html"}, {&o.vega, "--vega"}})
    if (!path->empty()) core::fail_input("{}: a part has no whole answer; toroid merge writes that of all", name);
}

/// The comparison as the options say.
Comparison comparison_of(CompareOptions& o) {
  auto& s = o.spec;
  s.labels = {take_labels(s.platforms), take_labels(o.traces), take_labels(o.maps)};
  for (auto& platform : s.platforms) platform = o.what_if.apply(platform);
  for (const auto& trace : o.traces) refuse_platform(trace);
  s.traces.assign(o.traces.begin(), o.traces.end());
  s.maps = core::choices_of<mapping::MapperChoice>(o.maps);
  add_what_ifs(s, o.what_ifs);
  if (!o.engines.empty()) {
    s.engine = o.engines.front();
    s.opinions.assign(o.engines.begin() + 1, o.engines.end());
  }
  s.options = o.replay.options();
  s.slots = [&](const mapping::Machine& machine) { return o.placement.slots_on(machine, s.seed); };
  s.matrix = mapping::parse_matrix_kind(o.matrix);
  s.verify = !o.no_verify && s.engine.name() != netsim::reference_engine;
  return Comparison(s);
}

void compare(CompareOptions o) {
  check_part(o);
  const auto comparison = comparison_of(o);
  with_workers([&](std::size_t task) { return comparison.work(task); }, o.jobs,
               [&](study::Executor& executor) { (o.part ? run_part : run)(o, comparison, executor); });
}

/// What one process would have written, from the parts that others have done.
void merge(CompareOptions o, const std::vector<std::string>& paths) {
  const auto comparison = comparison_of(o);
  std::vector<std::unique_ptr<study::Journal>> journals;
  {
    Outputs parts;
    for (const auto& path : paths) journals.push_back(open_journal_at(path, settings(o), comparison.inputs(), parts));
  }
  for (const auto& path : paths) core::Inputs::keep(path);  // no output is written over a part
  run(o, comparison, *study::make_parts_executor(comparison, std::move(journals)));
}

}  // namespace

namespace {

void add_outputs(CLI::App& command, CompareOptions& o) {
  add_output(command, "--csv", o.csv,
             "write one row per run; FILE.journal keeps what is done: a study that was stopped, or grows, goes on");
  add_output(command, "--json", o.json, "write rows, summary, statistics and manifest as JSON (- for standard output)");
  add_output(command, "--svg", o.svg,
             "draw mean run times, a bar per mapper (with one mapper: per machine), as an SVG picture");
  add_output(command, "--html", o.html, "write picture, verdicts and tables as one page that needs no other file");
  add_output(command, "--vega", o.vega,
             "write the run times as a Vega-Lite specification (JSON) with its data, for a picture of your own");
}

/// What the result depends on.
void add_arguments(CLI::App& app, CompareOptions& options) {
  auto* command = &app;
  auto* o = &options;
  auto& s = o->spec;
  command->add_option("PLATFORM", s.platforms, "machines, as for simulate; the options of what-ifs change all of them")
      ->required();
  command
      ->add_option("--trace", o->traces,
                   "traces, folders with one trace, or generators; FILE=LABEL gives a file another name")
      ->required();
  command->add_option("--map", o->maps, "mappers or mapping files")->capture_default_str();
  command->add_option("--repeat", s.repeats, "runs of each mapper that draws lots, with seeds SEED, SEED+1, ...")
      ->capture_default_str()
      ->transform(whole(1, 1000000));
  command->add_option("--seed", s.seed, "first seed")->capture_default_str()->transform(any_seed());
  auto* engine = add_choice(*command, "--engine", s.engine, "engine of the runs");
  add_choices(*command, "--engines", o->engines,
              "engines that do the same runs: do the verdicts of the first hold under the others?")
      ->excludes(engine);
  command->add_flag("--no-verify", o->no_verify,
                    fmt::format("do not run the best mapping of each mapper again with {}", netsim::reference_engine));
  command->add_option("--matrix", o->matrix, "messages that mappers see: expanded (collectives too) or p2p")
      ->capture_default_str();
  command
      ->add_option("--what-if", o->what_ifs,
                   "each machine also with these properties: y.bandwidth=x0.5, fail-link=5-6 (may be repeated)")
      ->allow_extra_args(false);
  o->what_if.add_to(*command);
  o->placement.add_to(*command);
  o->replay.add_to(*command);
  command->add_option("--alpha", o->alpha, "level of significance of the verdicts")
      ->capture_default_str()
      ->transform(real(0.0001, 0.5));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "run machines x traces x mappings and compare the predicted times");
  auto o = std::make_shared<CompareOptions>();
  add_arguments(*command, *o);
  command
      ->add_option("--jobs", o->jobs, "worker processes, on each rank under mpirun (default: as many as it has cores)")
      ->transform(whole(1, 4096))
      ->configurable(false);
  add_outputs(*command, *o);
  command
      ->add_option_function<std::string>(
          "--part", [o](const std::string& text) { o->part = study::Part::parse(text); },
          "do part K of N of the runs alone, as jobs of an array do, and write it with -o for toroid merge")
      ->type_name("K/N")
      ->configurable(false);
  add_output(*command, "-o,--output", o->part_file,
             "the file of the part; a part that was stopped goes on where it stopped");
  set_action(*command, [o](const Json& arguments) {
    o->arguments = arguments;
    compare(*o);
  });
}

void add_merge(CLI::App& app) {
  auto* command = app.add_subcommand("merge", "join the parts of a comparison, which compare --part has written");
  auto o = std::make_shared<CompareOptions>();
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("PARTS", *paths, "the files of all parts of a study, in any order")->required();
  add_outputs(*command, *o);
  command->callback([o, paths] {
    const auto parts = study::find_parts(*paths);
    CLI::App comparison{"compare"};
    add_arguments(comparison, *o);
    o->arguments = parse_record(comparison, parts.arguments);
    merge(*o, parts.paths);
  });
}

}  // namespace toroid::cli
