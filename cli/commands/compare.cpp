#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/comparison_tables.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/csv.hpp"
#include "core/file.hpp"
#include "study/tasks/parts.hpp"
#include "views/studies/study_plot.hpp"
#include "workloads/collectives/rules.hpp"

namespace toroid::cli {
namespace {

using study::Comparison;

struct CompareOptions {
  Json arguments;  ///< what the user gave, for the manifest
  study::ComparisonSpec spec;
  std::vector<std::string> platforms, traces, maps{"consecutive", "random"}, what_ifs, collectives{"default"};
  std::vector<alloc::AllocatorChoice> allocators;
  std::vector<netsim::EngineChoice> engines;
  cosim::Placement placement;
  MachineArguments what_if;
  ReplayArguments replay;
  std::string matrix = "expanded", csv, json, svg, pdf, html, markdown, tex;
  std::optional<std::string> baseline;
  double alpha = 0.05;
  bool verify = true;
  std::size_t workers = 0;  ///< 0: as many as there are cores for them
  std::optional<study::Part> part;
  std::string part_file;
};

/// Puts the machines into the spec, each followed by what the what-ifs make of it.
void add_machines(study::ComparisonSpec& s, const std::vector<std::string>& machines,
                  const std::vector<std::string>& what_ifs) {
  const auto labels = std::exchange(s.labels.platforms, {});
  TOROID_ASSERT(labels.size() == machines.size() && s.platforms.empty());
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

/// Pairs are called by the labels of both.
void pair_labels(study::ComparisonSpec& s) {
  if (s.platforms.size() != s.traces.size())
    core::fail_input("--paired: found {} machines and {} traces, expected as many", s.platforms.size(),
                     s.traces.size());
  s.baselines.clear();
  for (std::size_t i = 0; i < s.traces.size(); ++i)
    s.labels.traces[i] = fmt::format("{} {}", s.labels.platforms[i], s.labels.traces[i]);
  s.labels.platforms = {"paired"};
}

/// What the results of all runs depend on, whichever they are.
Json settings(const CompareOptions& o) {
  Json settings{{"toroid", version}, {"command", "compare"}, {"matrix", o.matrix}};
  record(settings, placement_options, o.placement);
  // Several allocators have their nodes by the seeds of their runs, which the journal knows.
  if (o.spec.placements.size() == 1 && (!o.allocators.empty() || o.placement.busy))
    settings["nodes_seed"] = o.spec.seed;
  record(settings, replay_options, o.replay);
  if (!o.spec.collectives.empty()) settings.erase("collectives");  // the journal knows those of each run
  return settings;
}

Json manifest(const CompareOptions& o) {
  Json manifest{{"toroid", version}, {"command", "compare"}, {"arguments", o.arguments}, {"inputs", inputs_json()}};
  record(manifest, placement_options, o.placement);
  record(manifest, replay_options, o.replay);
  manifest.update(study::manifest_of(o.spec, o.alpha));  // whose collectives may be several
  manifest["matrix"] = o.matrix;
  manifest["provenance"] = provenance_json(core::texts_of(o.spec.platforms));
  return manifest;
}

/// How many runs went wrong, and how the first; nothing if none did.
std::string failures(const study::ComparisonSpec& spec, const std::vector<study::Row>& rows) {
  const auto failed = [](const study::Row& row) {
    return !row.error.empty() || !row.verification_error.empty() || !row.with_computation_error.empty();
  };
  const auto first = std::ranges::find_if(rows, failed);
  if (first == rows.end()) return {};
  const auto [how, why] = !first->error.empty() ? std::pair("", first->error)
                          : !first->verification_error.empty()
                              ? std::pair(", verifying it", first->verification_error)
                              : std::pair(", with computation", first->with_computation_error);
  const auto allocs = spec.names().allocs, collectives = spec.names().collectives;
  return fmt::format("{} of {} runs failed, the first on {} with {}{}{}, map {}, repetition {}{}: {}",
                     std::count_if(first, rows.end(), failed), rows.size(),
                     spec.platforms[spec.paired ? first->run.trace : first->run.platform].text(),
                     spec.traces[first->run.trace].text(),
                     collectives.empty() ? "" : fmt::format(", collectives {}", collectives[first->run.collectives]),
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
  const auto picture = [&] { return views::study_plot_svg(views::study_of(whole), views::page_plot); };
  outputs.add_svg(o.svg, picture);
  outputs.add(o.pdf, [&] { return pdf_of(picture()); });
  outputs.add(o.html, [&] { return page; });
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
  auto error = failures(s, *compared.report.rows);
  for (const auto* others : {&compared.opinions, &compared.draws})
    for (const auto& opinion : *others)
      if (error.empty()) error = failures(s, *opinion.rows);
  if (!error.empty()) throw core::SimulationError(error);
}

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

Options output_options(CompareOptions& o) {
  return {
      Heading{"Results"},
      {"--csv", o.csv, common, output_file(),
       "write one row per run and engine; FILE.journal keeps what is done: a study that was stopped, or grows, goes "
       "on"},
      {"--json", o.json, common, output_file(),
       "write rows, summary, statistics and manifest as JSON (- for standard output)"},
      Heading{"Pictures"},
      {"--svg", o.svg, output_file(),
       "draw the runs as toroid plot does: those of each mapper (with one mapper: of each allocator, --collectives, "
       "machine, or else trace), as an SVG picture"},
      {"--pdf", o.pdf, output_file(), "the same picture as PDF, by rsvg-convert"},
      {"--html", o.html, common, output_file(),
       "write picture, verdicts and tables as one page that needs no other file"},
      Heading{"Results"},
      {"--markdown", o.markdown, output_file(), "write the printed tables in Markdown"},
      {"--tex", o.tex, output_file(), "write the printed tables for LaTeX, with the package booktabs"},
  };
}

/// What --part has no use for, and what has none without it.
void check_part(CompareOptions& o) {
  if (!o.part && !o.part_file.empty()) core::fail_input("-o is for --part K/N; a whole study has --csv and --json");
  if (!o.part) return;
  if (o.part_file.empty()) core::fail_input("--part {}: expected -o FILE, where the part goes", o.part->text());
  if (!Outputs::is_file(o.part_file)) core::fail_input("-o {}: is no regular file; expected one", o.part_file);
  study::check_part_file(*o.part, o.part_file);
  for (const auto& option : output_options(o))
    if (option.type.is_output && !option.json().is_discarded())
      core::fail_input("{}: a part has no whole answer; toroid merge writes that of all", option.name);
}

Comparison comparison_of(CompareOptions& o) {
  auto& s = o.spec;
  // Allocators, or algorithms, are what is compared then, with one mapper.
  if (!o.arguments.contains("--map")) {
    if (o.allocators.size() > 1)
      o.maps = {"quick"};
    else if (o.collectives.size() > 1)
      o.maps = {"consecutive"};
  }
  s.labels.platforms = take_labels(o.platforms);
  s.labels.traces = take_labels(o.traces);
  s.labels.maps = take_labels(o.maps);
  for (auto& platform : o.platforms) platform = o.what_if.apply(platform);
  for (const auto& trace : o.traces) refuse_swapped("TRACE", trace);
  s.traces.assign(o.traces.begin(), o.traces.end());
  s.maps = core::choices_of<mapping::MapperChoice>(o.maps);
  s.placements.assign(std::max<std::size_t>(1, o.allocators.size()), o.placement);
  for (std::size_t i = 0; i < o.allocators.size(); ++i) s.placements[i].alloc = o.allocators[i];
  if (o.collectives.size() == 1) o.replay.collectives = o.collectives.front();
  s.labels.collectives = o.collectives.size() > 1 ? take_labels(o.collectives) : Names();
  if (o.collectives.size() > 1)
    for (const auto& choice : o.collectives) s.collectives.push_back(workloads::CollectiveChoice::parse(choice));
  add_machines(s, o.platforms, o.what_ifs);
  if (s.paired) pair_labels(s);
  if (o.baseline) s.gains_over = study::contender_named(s, *o.baseline, "--baseline");
  if (!o.engines.empty()) {
    s.engine = o.engines.front();
    s.opinions.assign(o.engines.begin() + 1, o.engines.end());
  }
  s.options = o.replay.options();
  s.matrix = mapping::parse_matrix_kind(o.matrix);
  s.verify = o.verify && s.engine.name() != netsim::reference_engine;
  TOROID_ASSERT(s.labels.traces.size() == s.traces.size() && s.labels.maps.size() == s.maps.size());
  return Comparison(s);
}

void compare(CompareOptions& o) {
  check_part(o);
  const auto comparison = comparison_of(o);
  const auto executor = study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, o.workers);
  (o.part ? run_part : run_whole)(o, comparison, *executor);
}

Options study_options(CompareOptions& o) {
  auto& s = o.spec;
  return {
      Heading{"Study"},
      {"PLATFORM", o.platforms, machine_name(), required,
       "machines, as for simulate; the options of what-ifs change all of them"},
      {"--trace", o.traces, common, trace_name(), required,
       "traces, folders with one trace, or generators; 'LABEL := TRACE' gives a trace, machine, mapper or allocator "
       "another name in tables and pictures"},
      {"--paired", s.paired,
       "the first machine with the first trace, the second with the second, ...: slices of different sizes, each with "
       "its layout, are compared by tokens of a second and chip"},
      {"--map", o.maps, common, entry_of(mapping::mappers()),
       "mappers or mapping files; of several allocators, by default, quick"},
      {"--baseline", o.baseline, common, entry_of(mapping::mappers()),
       "mapper over which the gains of all others are told, each a ratio with its confidence interval; with one "
       "mapper, allocator, algorithms of collectives, machine (a what-if, too) or else trace"},
      {"--repeat", s.repeats, common, whole(1, study::most_repeats),
       "runs of what draws lots, with seeds SEED, SEED+1, ...: a mapper, or of several allocators one of them or "
       "--busy"},
      seed_option(s.seed, "first seed"),
      Heading{"Engines"},
      {"--engine", s.engine, "engine of the runs"},
      {"--engines", o.engines, excludes("--engine"),
       "engines that do the same runs: do the verdicts of the first hold under the others?"},
      uncertainty_option(
          s.draws,
          "do all runs also on N machines drawn from the intervals of properties (bandwidth=4.5..5.2GBps), the same "
          "for all mappers: on how many do verdicts hold, and what is gained there?"),
      {"--no-verify", o.verify,
       fmt::format("do not run the best mapping of each mapper again with {}", netsim::reference_engine)},
      {"--matrix", o.matrix, like({"expanded", "p2p"}), "messages that mappers see: expanded (collectives too) or p2p"},
      Heading{"Changes of the machine"},
      {"--what-if", o.what_ifs, common, excludes("--paired"),
       "each machine also with these properties, joined by commas: y.bandwidth=x0.5,latency=x2"},
      machine_options(o.what_if),
      placement_options_with(o.placement,
                             {"--alloc", choices(o.allocators, &s.labels.allocs), common, entry_of(alloc::allocators()),
                              "allocators that choose the job's nodes (toroid list allocators); several are compared, "
                              "each repetition beside busy nodes of its own if these are drawn"}),
      replay_options_with(o.replay,
                          {"--collectives", o.collectives, like(workloads::collective_rule_names()),
                           "algorithms of collectives: default (those of the program's world), mpi, torus, openmpi or "
                           "smpi (toroid list rules), with overrides: default:alltoall=linear,bcast=binomial; several "
                           "are compared, by default with the mapper consecutive"}),
      Heading{"Study"},
      {"--alpha", o.alpha, real(0.0001, 0.5), "level of significance of the verdicts"},
  };
}

Options compare_options(CompareOptions& o) {
  return {
      study_options(o),
      Heading{"Work"},
      workers_option(o.workers, "worker processes (default: as many as there are cores)"),
      output_options(o),
      Heading{"Work"},
      {"--part", [&o](const std::string& text) { o.part = study::Part::parse(text); }, called("K/N"), unrecorded,
       "do part K of N of the runs alone, as jobs of an array do, and write it with -o for toroid merge"},
      {"-o,--output", o.part_file, output_file(),
       "the file of the part; a part that was stopped goes on where it stopped"},
  };
}

struct MergeOptions {
  CompareOptions study;
  std::vector<std::string> paths;  ///< the paths of the parts
};

Options merge_options(MergeOptions& o) {
  return {
      Heading{"Parts"},
      {"PARTS", o.paths, input_file(), required, "the files of all parts of a study, in any order"},
      output_options(o.study),
  };
}

/// What one process would have written, from the parts that others have done.
void merge(MergeOptions& o) {
  const auto parts = study::find_parts(o.paths);
  o.study.arguments = RecordParser("compare", study_options(o.study)).parse(parts.arguments);
  const auto comparison = comparison_of(o.study);
  std::vector<std::unique_ptr<study::Journal>> journals;
  for (const auto& path : parts.paths) {
    core::Inputs::keep(path);  // no output is written over a part
    journals.push_back(
        open_journal_at(path, settings(o.study), comparison.inputs(), Json::object(), study::Journal::Access::read));
  }
  run_whole(o.study, comparison, *study::make_parts_executor(comparison, std::move(journals)));
}

}  // namespace

void add_compare(CLI::App& app) {
  add_command<CompareOptions>(app, "compare",
                              "run machines x traces x allocators x mappings and compare the predicted times",
                              compare_options, compare);
}

void add_merge(CLI::App& app) {
  add_command<MergeOptions>(app, "merge", "join the parts of a comparison, which compare --part has written",
                            merge_options, merge);
}

}  // namespace toroid::cli
