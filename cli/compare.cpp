#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/comparison_page.hpp"
#include "cli/comparison_tables.hpp"
#include "cli/config.hpp"
#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/study_setup.hpp"
#include "cli/summary_lines.hpp"
#include "cli/swapped_arguments.hpp"
#include "cli/watched_trace.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/inputs.hpp"
#include "core/text.hpp"
#include "study/comparison.hpp"
#include "study/opinions.hpp"
#include "study/report.hpp"
#include "study/tasks/mpi.hpp"
#include "study/tasks/parts.hpp"
#include "study/uncertainty.hpp"
#include "views/studies/comparison_charts.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Comparison;

struct CompareOptions {
  Json arguments;  ///< what the user gave, for the manifest
  study::ComparisonSpec spec;
  std::vector<std::string> platforms, traces, maps{"consecutive", "random"}, what_ifs;
  std::vector<alloc::AllocatorChoice> allocators;
  std::vector<netsim::EngineChoice> engines;
  PlacementArguments placement;
  MachineArguments what_if;
  ReplayArguments replay;
  std::string matrix = "expanded", csv, json, svg, pdf, html, vega, markdown, tex;
  views::BarLengths bars;
  std::optional<std::string> baseline;
  double alpha = 0.05;
  bool no_verify = false;
  std::size_t workers = 0;  ///< 0: as many as there are cores for them
  std::optional<study::Part> part;
  std::string part_file;
};

/// Puts the machines into the spec, each followed by what the what-ifs make of it.
void add_machines(study::ComparisonSpec& s, const std::vector<std::string>& machines,
                  const std::vector<std::string>& what_ifs) {
  const auto labels = std::exchange(s.labels.platforms, {});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto baseline = s.platforms.size();
    const auto add = [&](const std::string& machine, const std::string& label) {
      s.platforms.emplace_back(machine);
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
  // Several allocators have their nodes by the seeds of their runs, which the journal knows.
  if (o.spec.placements.size() == 1 && (!o.allocators.empty() || o.placement.busy))
    settings["nodes_seed"] = o.spec.seed;
  o.replay.record(settings);
  return settings;
}

/// All that the runs depend on.
Json manifest(const CompareOptions& o) {
  const auto& s = o.spec;
  Json manifest{{"toroid", version},
                {"command", "compare"},
                {"arguments", o.arguments},
                {"platforms", core::texts_of(s.platforms)},
                {"traces", core::texts_of(s.traces)},
                {"inputs", inputs_json()},
                {"maps", core::texts_of(s.maps)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  if (const auto allocs = s.names().allocs; !allocs.empty()) manifest["allocs"] = allocs;
  o.placement.record(manifest);
  o.replay.record(manifest);
  manifest["engine"] = s.engine.text();
  if (!s.opinions.empty()) manifest["opinions"] = core::texts_of(s.opinions);
  manifest["matrix"] = o.matrix;
  if (s.gains_over) manifest["baseline"] = s.names().of(s.subject())[*s.gains_over];
  if (s.draws > 0) manifest["uncertainty"] = s.draws;
  manifest["verify"] = s.verify;
  manifest["alpha"] = o.alpha;
  manifest["provenance"] = provenance_json(core::texts_of(s.platforms));
  return manifest;
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
  const auto allocs = spec.names().allocs;
  return fmt::format("{} of {} runs failed, the first on {} with {}{}, map {}, repetition {}{}: {}",
                     std::count_if(first, rows.end(), failed), rows.size(), spec.platforms[first->run.platform].text(),
                     spec.traces[first->run.trace].text(),
                     allocs.empty() ? "" : fmt::format(", alloc {}", allocs[first->run.alloc]),
                     spec.maps[first->run.map].text(), first->run.repetition, how, why);
}

/// The rows of all engines, with the same fields: what ranks wait for may differ from run to run.
Json all_rows(const Json& comparison) {
  const auto drawn = comparison.value("uncertainty", Json());
  const auto for_each = [&](const auto& visit) {
    for (const auto& row : comparison["rows"]) visit(row, comparison["manifest"]["engine"]);
    for (const auto& opinion : comparison.value("opinions", Json::array()))
      for (const auto& row : opinion["rows"]) visit(row, opinion["engine"]);
    if (!drawn.is_null())
      for (const auto& row : drawn["rows"]) visit(row, comparison["manifest"]["engine"]);
  };
  std::set<std::string> optional;
  for_each([&](const Json& row, const Json&) {
    for (const auto& [name, value] : row.items())
      if (study::is_optional_field(name)) optional.insert(name);
  });
  auto all = Json::array();
  for_each([&](const Json& row, const Json& engine) {
    Json fields;
    for (const auto& [name, value] : row.items())
      if (!study::is_optional_field(name) && name != "draw" && name != "values") fields[name] = value;
    for (const auto& name : optional) fields[name] = row.value(name, Json());
    fields["engine"] = engine;
    if (!drawn.is_null()) {
      fields["draw"] = row.value("draw", Json());
      for (const auto& interval : drawn["intervals"]) {
        const auto& property = interval["property"].get_ref<const std::string&>();
        fields[property] = row.value("values", Json::object()).value(property, Json());
      }
    }
    all.push_back(std::move(fields));
  });
  return all;
}

void run_whole(const CompareOptions& o, const Comparison& comparison, study::Executor& executor) {
  const auto& s = o.spec;
  announce_operations(comparison.operations());
  const auto record = manifest(o);
  Json whole;
  Outputs outputs;
  std::vector<ComparisonTable> tables;
  std::string page;
  outputs.add(o.csv, [&] { return core::csv_of(all_rows(whole)); });
  outputs.add(o.markdown, [&] { return markdown_of(tables); });
  outputs.add(o.tex, [&] { return tex_of(tables); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  const auto picture = [&] { return bar_chart_svg(comparison_chart(views::study_of(whole), o.bars)); };
  outputs.add_svg(o.svg, picture);
  outputs.add(o.pdf, [&] { return pdf_of(picture()); });
  outputs.add(o.html, [&] { return page; });
  outputs.add(o.vega, [&] { return views::comparison_vega(views::study_of(whole)); });
  const auto journal = open_journal(o.csv, settings(o), comparison.inputs(), outputs);
  const auto compared = study::compare(comparison, executor, journal.get(), o.alpha);
  whole = {{"schema_version", core::schema_version}, {"manifest", record}};
  for (std::size_t t = 0; t < s.traces.size(); ++t)
    whole["manifest"]["compute_used"].push_back(compute_in_words(comparison.computation(0, t)));
  whole.update(study::compared_json(compared));
  tables = comparison_tables(compared);
  if (!o.html.empty()) page = comparison_page(compared, whole);
  outputs.write();
  if (!outputs.to_stdout()) print(text_of(tables));
  auto error = failures(s, compared.rows);
  for (const auto* others : {&compared.opinions, &compared.draws})
    for (const auto& opinion : *others)
      if (error.empty()) error = failures(s, opinion.rows);
  if (!error.empty()) throw core::SimulationError(error);
}

/// Does a part of the runs, for toroid merge.
void run_part(const CompareOptions& o, const Comparison& comparison, study::Executor& executor) {
  Outputs().claim(o.part_file);  // no input is written over
  const auto journal =
      open_journal_at(o.part_file, settings(o), comparison.inputs(), study::part_record(*o.part, o.arguments));
  journal->begin();
  const auto rows = run_study(comparison, executor, journal.get(), *o.part);
  add_failures(comparison, rows, *o.part, {}, *journal);
  auto error = failures(o.spec, rows);
  const auto opinions = run_opinions(comparison, executor, journal.get(), 0, comparison.opinions(), *o.part);
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    add_failures(comparison, opinions[k], *o.part, k, *journal);
    if (error.empty()) error = failures(o.spec, opinions[k]);
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
  study::check_part_file(*o.part, o.part_file);
  for (const auto& [path, name] : {std::pair(&o.csv, "--csv"),
                                   {&o.json, "--json"},
                                   {&o.svg, "--svg"},
                                   {&o.pdf, "--pdf"},
                                   {&o.html, "--html"},
                                   {&o.vega, "--vega"},
                                   {&o.markdown, "--markdown"},
                                   {&o.tex, "--tex"}})
    if (!path->empty()) core::fail_input("{}: a part has no whole answer; toroid merge writes that of all", name);
}

/// The comparison as the options say.
Comparison comparison_of(CompareOptions& o) {
  auto& s = o.spec;
  if ((o.bars.absolute || o.bars.cut > 0) && o.svg.empty() && o.pdf.empty())
    core::fail_input("--absolute and --cut: expected --svg FILE or --pdf FILE, the picture that they change");
  // Allocators are what is compared then, with one mapper as in a schedule.
  if (o.allocators.size() > 1 && !o.arguments.contains("--map")) o.maps = {"quick"};
  s.labels.platforms = take_labels(o.platforms);
  s.labels.traces = take_labels(o.traces);
  s.labels.maps = take_labels(o.maps);
  for (auto& platform : o.platforms) platform = o.what_if.apply(platform);
  for (const auto& trace : o.traces) refuse_swapped("TRACE", trace);
  s.traces.assign(o.traces.begin(), o.traces.end());
  s.maps = core::choices_of<mapping::MapperChoice>(o.maps);
  s.placements.assign(std::max<std::size_t>(1, o.allocators.size()), o.placement);
  for (std::size_t i = 0; i < o.allocators.size(); ++i) s.placements[i].alloc = o.allocators[i];
  add_machines(s, o.platforms, o.what_ifs);
  if (o.baseline) s.gains_over = study::contender_named(s, *o.baseline, "--baseline");
  if (!o.engines.empty()) {
    s.engine = o.engines.front();
    s.opinions.assign(o.engines.begin() + 1, o.engines.end());
  }
  s.options = o.replay.options();
  s.matrix = mapping::parse_matrix_kind(o.matrix);
  s.verify = !o.no_verify && s.engine.name() != netsim::reference_engine;
  return Comparison(s);
}

void compare(CompareOptions o) {
  check_part(o);
  const auto comparison = comparison_of(o);
  study::with_workers([&](std::size_t task) { return comparison.work(task); }, o.workers,
                      [&](study::Executor& executor) { (o.part ? run_part : run_whole)(o, comparison, executor); });
}

/// What one process would have written, from the parts that others have done.
void merge(CompareOptions o, const std::vector<std::string>& paths) {
  const auto comparison = comparison_of(o);
  std::vector<std::unique_ptr<study::Journal>> journals;
  for (const auto& path : paths) {
    core::Inputs::keep(path);  // no output is written over a part
    journals.push_back(
        open_journal_at(path, settings(o), comparison.inputs(), Json::object(), study::Journal::Access::read));
  }
  run_whole(o, comparison, *study::make_parts_executor(comparison, std::move(journals)));
}

}  // namespace

namespace {

void add_outputs(CLI::App& command, CompareOptions& o) {
  add_output(
      command, "--csv", o.csv,
      "write one row per run and engine; FILE.journal keeps what is done: a study that was stopped, or grows, goes on");
  add_output(command, "--json", o.json, "write rows, summary, statistics and manifest as JSON (- for standard output)");
  add_output(
      command, "--svg", o.svg,
      "draw mean run times, a bar per mapper (with one mapper: per allocator, machine, or else trace), as an SVG "
      "picture");
  add_output(command, "--pdf", o.pdf, "the same picture as PDF, by rsvg-convert");
  command.add_flag("--absolute", o.bars.absolute, "bars of --svg and --pdf are times; else times over the best mean")
      ->configurable(false);
  constexpr double least_cut = 1, most_cut = 1e9;
  command
      .add_option(
          "--cut", o.bars.cut,
          "a broken axis of --svg and --pdf: bars longer than so many times the shortest one of their panel end "
          "with a gap")
      ->transform(real(least_cut, most_cut))
      ->configurable(false);
  add_output(command, "--html", o.html, "write picture, verdicts and tables as one page that needs no other file");
  add_output(command, "--vega", o.vega,
             "write the run times as a Vega-Lite specification (JSON) with its data, for a picture of your own");
  add_output(command, "--markdown", o.markdown, "write the printed tables in Markdown");
  add_output(command, "--tex", o.tex, "write the printed tables for LaTeX, with the package booktabs");
}

/// What the result depends on.
void add_arguments(CLI::App& app, CompareOptions& options) {
  auto* command = &app;
  auto* o = &options;
  auto& s = o->spec;
  command->add_option("PLATFORM", o->platforms, "machines, as for simulate; the options of what-ifs change all of them")
      ->required();
  command
      ->add_option("--trace", o->traces,
                   "traces, folders with one trace, or generators; 'LABEL := TRACE' gives a trace, machine, mapper or "
                   "allocator another name in tables and pictures")
      ->required();
  command->add_option("--map", o->maps, "mappers or mapping files; of several allocators, by default, quick")
      ->capture_default_str();
  command->add_option(
      "--baseline", o->baseline,
      "mapper over which the gains of all others are told, each a ratio with its confidence interval; with one mapper, "
      "allocator, machine (a what-if, too) or else trace");
  command
      ->add_option(
          "--repeat", s.repeats,
          "runs of what draws lots, with seeds SEED, SEED+1, ...: a mapper, or of several allocators one of them "
          "or --busy")
      ->capture_default_str()
      ->transform(whole(1, study::most_repeats));
  command->add_option("--seed", s.seed, "first seed")->capture_default_str()->transform(any_seed());
  auto* engine = add_choice(*command, "--engine", s.engine, "engine of the runs");
  add_choices(*command, "--engines", o->engines,
              "engines that do the same runs: do the verdicts of the first hold under the others?")
      ->excludes(engine);
  add_uncertainty_option(
      *command, s.draws,
      "do all runs also on N machines drawn from the intervals of properties (bandwidth=4.5..5.2GBps), the "
      "same for all mappers: on how many do verdicts hold, and what is gained there?");
  command->add_flag("--no-verify", o->no_verify,
                    fmt::format("do not run the best mapping of each mapper again with {}", netsim::reference_engine));
  command->add_option("--matrix", o->matrix, "messages that mappers see: expanded (collectives too) or p2p")
      ->capture_default_str();
  command->add_option("--what-if", o->what_ifs,
                      "each machine also with these properties: y.bandwidth=x0.5, fail-link=5-6");
  o->what_if.add_to(*command);
  o->placement.add_to(*command, o->allocators, s.labels.allocs,
                      "allocators that choose the job's nodes (toroid list allocators); several are compared, each "
                      "repetition beside busy nodes of its own if these are drawn");
  o->replay.add_to(*command);
  command->add_option("--alpha", o->alpha, "level of significance of the verdicts")
      ->capture_default_str()
      ->transform(real(0.0001, 0.5));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command =
      app.add_subcommand("compare", "run machines x traces x allocators x mappings and compare the predicted times");
  auto o = std::make_shared<CompareOptions>();
  add_arguments(*command, *o);
  command
      ->add_option("--workers", o->workers,
                   "worker processes, on each rank under mpirun (default: as many as it has cores)")
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
  add_input(*command, "PARTS", *paths, "the files of all parts of a study, in any order")->required();
  add_outputs(*command, *o);
  command->callback([o, paths] {
    const auto parts = study::find_parts(*paths);
    RecordParser comparison("compare", [&](CLI::App& compare) { add_arguments(compare, *o); });
    o->arguments = comparison.parse(parts.arguments);
    merge(*o, parts.paths);
  });
}

}  // namespace toroid::cli
