#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/numbers.hpp"
#include "cli/outputs.hpp"
#include "cli/placement_arguments.hpp"
#include "cli/replay_arguments.hpp"
#include "cli/version.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "study/comparison.hpp"
#include "study/journal.hpp"
#include "study/mpi.hpp"
#include "study/study.hpp"
#include "study/verdict.hpp"
#include "views/comparison.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Comparison;

struct CompareOptions {
  study::ComparisonSpec spec;
  PlacementArguments placement;
  MachineArguments what_if;
  ReplayArguments replay;
  std::string matrix = "expanded", csv, json, svg, html;
  double alpha = 0.05;
  std::size_t jobs = 0;  ///< 0: as many as there are cores for them
};

/// All that the runs depend on.
Json manifest(const CompareOptions& o, const Comparison& comparison) {
  const auto& s = o.spec;
  Json manifest{{"toroid", version},
                {"command", "compare"},
                {"platforms", s.platforms},
                {"traces", s.traces},
                {"inputs", inputs_json(comparison.input_files())},
                {"maps", s.maps},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  o.placement.record(manifest);
  o.replay.record(manifest);
  manifest["engine"] = s.engine;
  manifest["matrix"] = o.matrix;
  manifest["verify"] = s.verify;
  return manifest;
}

std::string percent_or_dash(const Json& share) {
  return share.is_null() ? "-" : fmt::format("{:+.3f} %", 100 * share.get<double>());
}

std::string seconds_or_dash(const Json& seconds) {
  return seconds.is_null() ? "-" : core::format_duration(seconds);
}

std::string correlation_or_dash(const Json& correlation) {
  return correlation.is_null() ? "-" : fmt::format("{:.2f}", correlation.get<double>());
}

std::string summary_table(const Json& summary) {
  core::Table table({"machine", "trace", "map", "runs", "best", "mean", "std dev", "mean/best", "vs simgrid"});
  for (const auto& line : summary)
    table.add({line["platform"], line["trace"], line["map"], std::to_string(line["runs"].get<std::size_t>()),
               seconds_or_dash(line["best_s"]), seconds_or_dash(line["mean_s"]),
               seconds_or_dash(line["standard_deviation_s"]),
               line["mean_normalized"].is_null() ? "-" : fmt::format("{:.3f}", line["mean_normalized"].get<double>()),
               percent_or_dash(line["verification_deviation"])});
  return table.text();
}

std::string verdict_table(const Json& statistics, double alpha) {
  core::Table table({"machine", "trace", fmt::format("verdict (level of significance {})", alpha)});
  for (const auto& one : statistics) table.add({one["platform"], one["trace"], one["verdict"]});
  return table.text();
}

/// How well each proxy foretells the run time; nothing where no proxy or no time varies.
std::string correlation_table(const Json& correlations) {
  core::Table table({"correlation with run time", "Spearman (median)", "lowest", "highest", "Pearson (median)"});
  bool any = false;
  for (const auto& line : correlations) {
    any = any || line["count"] > 0;
    table.add({line["metric"], correlation_or_dash(line["spearman_median"]),
               correlation_or_dash(line["spearman_lowest"]), correlation_or_dash(line["spearman_highest"]),
               correlation_or_dash(line["pearson_median"])});
  }
  return any ? "\n" + table.text() : "";
}

/// The whole of what `compare` has to tell, as --json writes it.
Json document(const Comparison& comparison, const std::vector<Json>& results, Json manifest, double alpha) {
  manifest["alpha"] = alpha;
  const auto rows = comparison.rows(results);
  const auto statistics = study::statistics_of(rows, alpha);
  return {{"schema_version", 1},
          {"manifest", manifest},
          {"summary", comparison.summary(results)},
          {"statistics", statistics},
          {"correlations", study::correlations_of(statistics)},
          {"rows", rows}};
}

/// How many runs went wrong, and how the first; nothing if none did.
std::string failures(const Comparison& comparison, const std::vector<Json>& results) {
  const auto failed = [](const Json& result) {
    return result.contains("error") || result.contains("verification_error");
  };
  const auto first = std::find_if(results.begin(), results.end(), failed);
  if (first == results.end()) return {};
  const auto& run = comparison.run(static_cast<std::size_t>(first - results.begin()));
  const auto& spec = comparison.spec();
  const bool verifying = !first->contains("error");
  return fmt::format("{} of {} runs failed, the first on {} with {}, map {}, repetition {}{}: {}",
                     std::count_if(first, results.end(), failed), results.size(), spec.platforms[run.platform],
                     spec.traces[run.trace], spec.maps[run.map], run.repetition, verifying ? ", verifying it" : "",
                     (*first)[verifying ? "verification_error" : "error"].get<std::string>());
}

/// Only a study that writes a file can go on later: the journal lies beside it.
std::unique_ptr<study::Journal> open_journal(const std::string& csv, const Json& record, Outputs& outputs) {
  std::error_code ignored;
  const auto type = std::filesystem::status(csv, ignored).type();
  const bool is_file = type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
  if (csv.empty() || csv == "-" || !is_file) return nullptr;
  outputs.claim(csv + ".journal");
  return std::make_unique<study::Journal>(csv + ".journal", record);
}

void compare(CompareOptions o) {
  auto& s = o.spec;
  for (auto& platform : s.platforms) platform = o.what_if.apply(platform);
  s.options = o.replay.options();
  s.slots = [&](const mapping::Machine& machine) { return o.placement.slots(machine); };
  s.matrix = mapping::parse_matrix_kind(o.matrix);
  s.verify = s.verify && core::Spec::parse(s.engine).name() != "simgrid";
  const Comparison comparison(s);
  const study::Work work = [&](std::size_t task) { return comparison.work(task); };
  const study::MpiSession mpi;
  const auto workers = o.jobs > 0 ? o.jobs : study::default_workers(mpi.ranks_here());
  if (mpi.rank() > 0) return mpi.serve(work, workers);

  // Before anything else that may fail: its end lets the other ranks go.
  const auto executor = mpi.make_executor(work, workers);
  const auto record = manifest(o, comparison);
  Json whole;
  Outputs outputs;
  outputs.add(o.csv, [&] { return core::csv_of(whole["rows"]); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add(o.svg, [&] { return views::comparison_svg(whole); });
  outputs.add(o.html, [&] { return views::comparison_html(whole); });
  outputs.keep_inputs_of(record);
  const auto journal = open_journal(o.csv, record, outputs);
  const auto results = run_study(comparison, *executor, journal.get());
  whole = document(comparison, results, record, o.alpha);
  outputs.write();
  if (!outputs.to_stdout())
    fmt::print("{}\n{}{}", summary_table(whole["summary"]), verdict_table(whole["statistics"], o.alpha),
               correlation_table(whole["correlations"]));
  const auto error = failures(comparison, results);
  if (!error.empty()) throw core::SimulationError(error);
  if (journal) journal->remove();
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "run machines x traces x mappings and compare the predicted times");
  auto o = std::make_shared<CompareOptions>();
  auto& s = o->spec;
  s.maps = {"consecutive", "random"};
  command->add_option("PLATFORM", s.platforms, "machines, as for simulate; the options of what-ifs change all of them")
      ->required();
  command->add_option("--trace", s.traces, "traces or generators")->required();
  command->add_option("--map", s.maps, "mappers or mapping files")->capture_default_str();
  command->add_option("--repeat", s.repeats, "runs of each mapper that draws lots, with seeds SEED, SEED+1, ...")
      ->capture_default_str()
      ->transform(whole_number(1, 1000000));
  command->add_option("--seed", s.seed, "first seed")->capture_default_str()->transform(whole_number(0));
  command->add_option("--engine", s.engine, "engine of the runs")->capture_default_str();
  command->add_flag("!--no-verify", s.verify, "do not run the best mapping of each mapper again with simgrid");
  command->add_option("--matrix", o->matrix, "messages that mappers see: expanded (collectives too) or p2p")
      ->capture_default_str();
  o->what_if.add_to(*command);
  o->placement.add_to(*command);
  o->replay.add_to(*command);
  command->add_option("--alpha", o->alpha, "level of significance of the verdicts")
      ->capture_default_str()
      ->transform(real_number(0.0001, 0.5));
  command
      ->add_option("--jobs", o->jobs, "worker processes, on each rank under mpirun (default: as many as it has cores)")
      ->transform(whole_number(1, 4096));
  add_output(*command, "--csv", o->csv, "write one row per run; until done, FILE.journal lets a stopped study go on");
  add_output(*command, "--json", o->json,
             "write rows, summary, statistics and manifest as JSON (- for standard output)");
  add_output(*command, "--svg", o->svg, "draw mean run times, a bar per mapper, as a picture");
  add_output(*command, "--html", o->html, "write picture, verdicts and tables as one page that needs no other file");
  command->callback([o] { compare(*o); });
}

}  // namespace toroid::cli
