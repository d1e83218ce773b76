#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "cli/commands.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/numbers.hpp"
#include "cli/outputs.hpp"
#include "cli/placement_arguments.hpp"
#include "cli/replay_arguments.hpp"
#include "cli/version.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

using core::Json;

struct SimulateOptions {
  std::string platform, trace, map = "consecutive", matrix = "expanded", engine = "simgrid";
  std::string json, links_csv, ranks_csv;
  std::uint64_t seed = 1;
  bool verify = false, profile = false;
  PlacementArguments placement;
  MachineArguments what_if;
  ReplayArguments replay;
};

/// All that the result depends on: the same manifest gives the same bytes. The engine's settings come with the result.
Json manifest(const SimulateOptions& o, const workloads::Trace& trace) {
  auto files = trace.files();
  files.push_back(mapping::make_mapper(o.map)->file());
  files.push_back(platforms::platform_file(o.platform));
  Json manifest{{"toroid", version},
                {"command", "simulate"},
                {"platform", o.platform},
                {"trace", o.trace},
                {"inputs", inputs_json(files)}};
  o.placement.record(manifest);
  manifest["map"] = o.map;
  manifest["matrix"] = o.matrix;
  manifest["seed"] = o.seed;
  o.replay.record(manifest);
  manifest["engine"] = o.engine;
  return manifest;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string summary(const Json& r, const SimulateOptions& o, double wall_seconds) {
  const auto& path = r["critical_path"];
  std::string text = fmt::format("run time       {}\n", core::format_duration(r["runtime_s"]));
  text += fmt::format("placed         {} ranks on {}, map {}, compute {}\n", r["ranks"].size(), o.platform, o.map,
                      o.replay.compute);
  text += traffic_lines(r);
  text += fmt::format("critical path  compute {}, latency {}, bandwidth {}, contention {}\n",
                      percent(path["compute_share"]), percent(path["latency_share"]), percent(path["bandwidth_share"]),
                      percent(path["contention_share"]));
  core::Table table({"busiest links", "bytes", "mean use", "peak use", "most flows"});
  for (std::size_t i = 0; i < std::min<std::size_t>(5, r["bottleneck_links"].size()); ++i) {
    const auto& link = r["bottleneck_links"][i];
    table.add({link["name"], core::format_bytes(link["bytes"]), percent(link["mean_utilization"]),
               percent(link["peak_utilization"]), std::to_string(link["peak_flows"].get<int>())});
  }
  if (!r["bottleneck_links"].empty()) text += "\n" + table.text();
  if (r.contains("verification")) {
    const auto& v = r["verification"];
    text += fmt::format(
        "\nverification   simgrid's run time is {}; {} differs by {:+.4f} %, in the end of a rank by up to {:.4f} %\n",
        core::format_duration(v["runtime_s"]), o.engine, 100 * v["deviation"].get<double>(),
        100 * v["rank_deviation_max"].get<double>());
  }
  if (r.contains("profile")) {
    const auto& p = r["profile"];
    text += fmt::format("\nprofile        reading {}, mapping {}, replay {}, solver {}, events {}\n",
                        core::format_duration(p["read_s"]), core::format_duration(p["map_s"]),
                        core::format_duration(p["replay_s"]), core::format_duration(p["solver_s"]),
                        core::format_duration(p["events_s"]));
  }
  return text + fmt::format("\nsimulated in {}\n", core::format_duration(wall_seconds));
}

/// Seconds since it was made or last asked.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// How far the time is from the reference, as a part of it.
double deviation(double time, double reference) {
  return reference > 0 ? time / reference - 1 : 0;
}

/// The same run by the reference engine. A run time alone may agree by chance, so ranks are compared, too.
Json verification(netsim::RunRequest request, const Json& result) {
  request.engine = "simgrid";
  request.profile = false;
  core::Progress bar("verifying", request.trace.operation_count());
  const auto reference = netsim::run(request, &bar);
  double of_ranks = 0;
  for (std::size_t r = 0; r < reference["ranks"].size(); ++r)
    of_ranks =
        std::max(of_ranks, std::abs(deviation(result["ranks"][r]["finish_s"], reference["ranks"][r]["finish_s"])));
  return {{"engine", request.engine},
          {"runtime_s", reference["runtime_s"]},
          {"deviation", deviation(result["runtime_s"], reference["runtime_s"])},
          {"rank_deviation_max", of_ranks}};
}

void simulate(const SimulateOptions& o) {
  const auto replay = o.replay.options();
  const auto matrix_kind = mapping::parse_matrix_kind(o.matrix);
  const auto machine = platforms::make_machine(o.platform);
  const auto slots = o.placement.slots(machine);
  Json result;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(result, 1) + "\n"; });
  outputs.add(o.links_csv, [&] { return core::csv_of(result["links"]); });
  outputs.add(o.ranks_csv, [&] { return core::csv_of(result["ranks"]); });
  Stopwatch watch;
  const auto trace = workloads::open_trace(o.trace);
  const double read_seconds = watch.lap();
  const mapping::Traffic traffic(*trace, replay.collectives, matrix_kind);
  const mapping::Program program{*trace, replay};
  const auto placement = mapping::make_mapping(o.map, {machine, slots, traffic, o.seed, &program});
  const double map_seconds = watch.lap();
  const netsim::RunRequest request{machine, *trace, placement, replay, o.engine, o.profile};
  core::Progress bar("simulating", trace->operation_count());
  auto record = manifest(o, *trace);
  outputs.keep_inputs_of(record);
  result = netsim::run(request, &bar);
  const double run_seconds = watch.lap();

  record["engine_settings"] = result["engine_settings"];
  result.erase("engine_settings");
  if (o.verify) result["verification"] = verification(request, result);
  if (o.profile) {
    result["profile"]["read_s"] = read_seconds;
    result["profile"]["map_s"] = map_seconds;
  }
  result["manifest"] = record;
  outputs.write();
  if (!outputs.to_stdout()) fmt::print("{}", summary(result, o, read_seconds + map_seconds + run_seconds));
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto* command = app.add_subcommand("simulate", "predict the run time of a trace on a machine");
  auto o = std::make_shared<SimulateOptions>();
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command
      ->add_option("TRACE", o->trace,
                   "SimGrid time-independent trace (plain or zstd), or a generator such as stencil:grid=4x4x4")
      ->required();
  command->add_option("--map", o->map, "mapper, or a mapping file: one node per line in rank order")
      ->capture_default_str();
  command
      ->add_option("--matrix", o->matrix,
                   "messages that mappers see: expanded (collectives as their messages too), p2p (no collectives)")
      ->capture_default_str();
  o->placement.add_to(*command);
  o->replay.add_to(*command);
  command
      ->add_option("--engine", o->engine,
                   "simgrid (the reference), or fluid (the same model, faster); see toroid list engines")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "seed of everything random")
      ->capture_default_str()
      ->transform(whole_number(0));
  command->add_flag("--verify", o->verify, "run again with the engine simgrid and report the deviation");
  command->add_flag("--profile", o->profile, "report where the real time goes");
  add_output(*command, "--json", o->json,
             "write the whole result as JSON (- for standard output); fields in docs/results.md");
  add_output(*command, "--links-csv", o->links_csv, "write the load of every used link as CSV");
  add_output(*command, "--ranks-csv", o->ranks_csv, "write the times of every rank as CSV");
  o->what_if.add_to(*command);
  command->callback([o] {
    o->platform = o->what_if.apply(o->platform);
    simulate(*o);
  });
}

}  // namespace toroid::cli
