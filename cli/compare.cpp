#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/replay_arguments.hpp"
#include "cli/version.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/progress.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "study/comparison.hpp"
#include "study/journal.hpp"
#include "study/mpi.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Comparison;

struct CompareOptions {
  study::ComparisonSpec spec;
  ReplayArguments replay;
  std::string matrix = "expanded", csv, json;
  std::size_t jobs = 0;
};

/// All that the results depend on.
Json manifest(const CompareOptions& o) {
  const auto& s = o.spec;
  Json inputs = Json::array();
  std::error_code ignored;
  auto files = s.traces;
  for (const auto& map : s.maps) files.push_back(mapping::make_mapper(map)->file());
  for (const auto& file : files)
    if (std::filesystem::is_regular_file(file, ignored))
      inputs.push_back({{"file", file}, {"sha256", core::sha256_of_file(file)}});
  Json manifest{{"toroid", version}, {"command", "compare"}, {"platforms", s.platforms}, {"traces", s.traces},
                {"inputs", inputs},  {"maps", s.maps},       {"repeat", s.repeats},      {"seed", s.seed}};
  o.replay.record(manifest);
  manifest["engine"] = s.engine;
  manifest["matrix"] = o.matrix;
  manifest["verify"] = s.verify;
  return manifest;
}

/// Runs all tasks that the journal does not know; the results of the runs, with those of their verification in them.
std::vector<Json> run_all(const Comparison& comparison, study::Executor& executor, study::Journal* journal) {
  const auto count = comparison.run_count();
  std::vector<Json> results(2 * count);
  if (journal != nullptr)
    for (const auto& [task, result] : journal->known())
      if (task < results.size()) results[task] = result;
  const auto ended = [&](const study::Outcome& outcome) {
    results[outcome.task] = outcome.failed ? Json{{"error", outcome.text}} : Json::parse(outcome.text);
    if (journal != nullptr && !outcome.failed) journal->add(outcome.task, results[outcome.task]);
  };
  const auto run_phase = [&](const char* title, const std::vector<std::size_t>& tasks) {
    core::Progress bar(title, tasks.size());
    std::uint64_t done = 0;
    std::vector<bool> wanted(results.size(), false);
    for (const auto task : tasks) wanted[task] = results[task].is_null();
    for (const auto task : tasks) done += wanted[task] ? 0 : 1;
    run_tasks(
        executor, results.size(), [&](std::size_t task) { return wanted[task]; },
        [&](const study::Outcome& outcome) {
          ended(outcome);
          bar.update(++done);
        });
  };
  std::vector<std::size_t> tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.push_back(i);
  run_phase("simulating", tasks);
  if (comparison.spec().verify) {
    tasks.clear();
    for (const auto best :
         comparison.best_runs({results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count)}))
      tasks.push_back(count + best);
    run_phase("verifying", tasks);
    for (const auto task : tasks) {
      auto& run = results[task - count];
      if (results[task].contains("error"))
        run["error"] = results[task]["error"];
      else
        run["verified_runtime_s"] = results[task]["runtime_s"];
    }
  }
  results.resize(count);
  return results;
}

std::string percent_or_dash(const Json& share) {
  return share.is_null() ? "-" : fmt::format("{:+.3f} %", 100 * share.get<double>());
}

std::string seconds_or_dash(const Json& seconds) {
  return seconds.is_null() ? "-" : core::format_duration(seconds);
}

std::string table_of(const Json& summary) {
  core::Table table({"machine", "trace", "map", "runs", "best", "mean", "deviation", "mean/best", "fluid/simgrid"});
  for (const auto& line : summary)
    table.add({line["platform"], line["trace"], line["map"], std::to_string(line["runs"].get<std::size_t>()),
               seconds_or_dash(line["best_s"]), seconds_or_dash(line["mean_s"]),
               seconds_or_dash(line["standard_deviation_s"]),
               line["mean_normalized"].is_null() ? "-" : fmt::format("{:.3f}", line["mean_normalized"].get<double>()),
               percent_or_dash(line["verification_deviation"])});
  return table.text();
}

void report(const CompareOptions& o, const Comparison& comparison, const std::vector<Json>& results) {
  const auto rows = comparison.rows(results);
  const auto summary = comparison.summary(results);
  if (!o.csv.empty()) core::write_text(o.csv, core::csv_of(rows));
  if (!o.json.empty()) {
    const Json whole{{"schema_version", 1}, {"manifest", manifest(o)}, {"summary", summary}, {"rows", rows}};
    core::write_text(o.json, whole.dump(1) + "\n");
  }
  if (o.csv != "-" && o.json != "-") fmt::print("{}", table_of(summary));
}

void compare(CompareOptions o) {
  if (o.csv == "-" && o.json == "-") core::fail_input("only one of --csv and --json can go to standard output");
  auto& s = o.spec;
  s.options = o.replay.options();
  s.matrix = mapping::parse_matrix_kind(o.matrix);
  s.verify = s.verify && core::Spec::parse(s.engine).name() != "simgrid";
  if (o.jobs == 0) o.jobs = std::max(1U, std::thread::hardware_concurrency());

  const Comparison comparison(s);
  const study::Work work = [&](std::size_t task) { return comparison.work(task); };
  const study::MpiSession mpi;
  if (mpi.rank() > 0) return mpi.serve(work, o.jobs);
  std::unique_ptr<study::Journal> journal;
  if (!o.csv.empty() && o.csv != "-") journal = std::make_unique<study::Journal>(o.csv + ".journal", manifest(o));
  std::vector<Json> results;
  {
    const auto executor = mpi.make_executor(work, o.jobs);
    results = run_all(comparison, *executor, journal.get());
  }
  report(o, comparison, results);
  const auto failed = std::find_if(results.begin(), results.end(), [](const Json& r) { return r.contains("error"); });
  if (failed != results.end())
    throw core::SimulationError("some runs failed, the first so: " + (*failed)["error"].get<std::string>());
  if (journal) journal->remove();
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command = app.add_subcommand("compare", "run machines x traces x mappings and compare the predicted times");
  auto o = std::make_shared<CompareOptions>();
  auto& s = o->spec;
  s.maps = {"consecutive", "random"};
  command->add_option("PLATFORM", s.platforms, "machines, as for simulate")->required();
  command->add_option("--trace", s.traces, "traces or generators")->required();
  command->add_option("--map", s.maps, "mappers or mapping files")->capture_default_str();
  command->add_option("--repeat", s.repeats, "runs of each mapper that draws lots, with seeds SEED, SEED+1, ...")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", s.seed, "first seed")->capture_default_str()->check(CLI::NonNegativeNumber);
  command->add_option("--engine", s.engine, "engine of the runs")->capture_default_str();
  command->add_flag("!--no-verify", s.verify, "do not run the best mapping of each mapper again with simgrid");
  command->add_option("--matrix", o->matrix, "messages that mappers see: expanded (collectives too) or p2p")
      ->capture_default_str();
  o->replay.add_to(*command);
  command->add_option("--jobs", o->jobs, "worker processes, on each rank under mpirun (default: all cores)");
  command->add_option("--csv", o->csv, "write one row per run; until done, FILE.journal lets a stopped study go on");
  command->add_option("--json", o->json, "write rows, summary and manifest as JSON (- for standard output)");
  command->callback([o] { compare(*o); });
}

}  // namespace toroid::cli
