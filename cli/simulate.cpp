#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "cli/commands.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/json.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {
namespace {

using core::Json;

struct SimulateOptions {
  std::string platform, trace, nodes, map = "consecutive", engine = "simgrid", compute = "none",
                                      collectives = "default", eager = "64KiB", envelope = "0";
  std::string json, links_csv, ranks_csv, map_file;
  std::int32_t ranks_per_node = 1;
  std::uint64_t seed = 1;
};

std::vector<mapping::NodeId> slots_of(const SimulateOptions& options, const mapping::Machine& machine) {
  const auto cores = machine.parameters().cores;
  if (options.ranks_per_node < 1 || options.ranks_per_node > cores)
    core::fail_input("--ranks-per-node {}: {} allows 1 to {} (its cores)", options.ranks_per_node, machine.name(),
                     cores);
  std::vector<mapping::NodeId> nodes;
  if (!options.nodes.empty())
    nodes = mapping::parse_nodes(options.nodes, machine);
  else
    for (mapping::NodeId node = 0; node < machine.node_count(); ++node) nodes.push_back(node);
  std::vector<mapping::NodeId> slots;
  for (const auto node : nodes) slots.insert(slots.end(), static_cast<std::size_t>(options.ranks_per_node), node);
  return slots;
}

/// All that the result depends on: the same manifest gives the same bytes.
Json manifest(const SimulateOptions& o, const workloads::Trace& trace, const Json& engine_settings) {
  Json inputs = Json::array();
  auto files = trace.files();
  std::error_code ignored;
  if (std::filesystem::is_regular_file(o.trace, ignored) &&
      std::find(files.begin(), files.end(), o.trace) == files.end())
    files.insert(files.begin(), o.trace);
  if (std::filesystem::is_regular_file(o.map, ignored)) files.push_back(o.map);
  for (const auto& file : files) inputs.push_back({{"file", file}, {"sha256", core::sha256_of_file(file)}});
  return {{"toroid", version},
          {"command", "simulate"},
          {"platform", o.platform},
          {"trace", o.trace},
          {"inputs", inputs},
          {"nodes", o.nodes.empty() ? "all" : o.nodes},
          {"map", o.map},
          {"ranks_per_node", o.ranks_per_node},
          {"seed", o.seed},
          {"compute", o.compute},
          {"eager", o.eager},
          {"envelope", o.envelope},
          {"collectives", o.collectives},
          {"engine", o.engine},
          {"engine_settings", engine_settings}};
}

std::string csv(const Json& rows) {
  std::string text;
  if (rows.empty()) return text;
  for (const auto& [key, value] : rows[0].items()) text += (text.empty() ? "" : ",") + key;
  text += '\n';
  for (const auto& row : rows) {
    std::string line;
    for (const auto& [key, value] : row.items()) {
      if (!line.empty()) line += ',';
      line += value.is_string() ? core::csv_field(value.get<std::string>()) : value.dump();
    }
    text += line + '\n';
  }
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string summary(const Json& r, const SimulateOptions& o, double wall_seconds) {
  const auto& path = r["critical_path"];
  std::string text = fmt::format("run time       {}\n", core::format_duration(r["runtime_s"]));
  text += fmt::format("placed         {} ranks on {}, map {}, compute {}\n", r["ranks"].size(), o.platform, o.map,
                      o.compute);
  text += fmt::format("messages       {} ({}), {} between nodes\n", r["messages"].get<std::uint64_t>(),
                      core::format_bytes(r["bytes"]), r["network_messages"].get<std::uint64_t>());
  text += fmt::format("hops           {:.3f} per message, {:.3f} per byte, at most {}; hop-bytes {}\n",
                      r["dilation_mean"].get<double>(), r["hops_per_byte"].get<double>(), r["dilation_max"].get<int>(),
                      core::format_bytes(r["hop_bytes"]));
  text +=
      fmt::format("link load      at most {}, mean {} over {} links\n", core::format_bytes(r["max_link_load_bytes"]),
                  core::format_bytes(r["mean_link_load_bytes"]), r["links_used"].get<int>());
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
  return text + fmt::format("\nsimulated in {}\n", core::format_duration(wall_seconds));
}

void simulate(const SimulateOptions& o) {
  const bool stdout_taken = o.json == "-" || o.links_csv == "-" || o.ranks_csv == "-";
  if ((o.json == "-") + (o.links_csv == "-") + (o.ranks_csv == "-") > 1)
    core::fail_input("only one of --json, --links-csv and --ranks-csv can go to standard output");
  netsim::ReplayOptions replay;
  replay.compute_scale = netsim::parse_compute(o.compute);
  replay.eager_threshold = core::parse_whole_bytes(o.eager, "--eager");
  replay.envelope = core::parse_whole_bytes(o.envelope, "--envelope");
  replay.collectives = workloads::CollectiveChoice::parse(o.collectives);
  const auto machine = platforms::make_machine(o.platform);
  const auto slots = slots_of(o, machine);
  const auto start = std::chrono::steady_clock::now();
  const auto trace = workloads::open_trace(o.trace);
  const auto placement = mapping::make_mapping(o.map, {machine, slots, trace->ranks(), o.seed});
  core::Progress bar("simulating", trace->operation_count());
  Json result = netsim::run({machine, *trace, placement, replay, o.engine}, &bar);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  const Json settings = result["engine_settings"];
  result.erase("engine_settings");
  result["manifest"] = manifest(o, *trace, settings);
  if (!o.links_csv.empty()) core::write_text(o.links_csv, csv(result["links"]));
  if (!o.ranks_csv.empty()) core::write_text(o.ranks_csv, csv(result["ranks"]));
  if (!o.json.empty()) core::write_text(o.json, result.dump(1) + "\n");
  if (!stdout_taken) fmt::print("{}", summary(result, o, wall.count()));
}

}  // namespace

void add_simulate(CLI::App& app) {
  auto* command = app.add_subcommand("simulate", "predict the run time of a trace on a machine");
  auto o = std::make_shared<SimulateOptions>();
  command
      ->add_option("PLATFORM", o->platform,
                   "machine: mesh:8x8, torus:4x4x4, ring:12x8, with ,bw=1GBps,lat=100ns (see toroid list platforms)")
      ->required();
  command
      ->add_option("TRACE", o->trace,
                   "SimGrid time-independent trace (plain or zstd), or a generator such as stencil:grid=4x4x4")
      ->required();
  command->add_option("--map", o->map, "mapper, or a mapping file: one node per line in rank order")
      ->capture_default_str();
  command->add_option("--nodes", o->nodes, "the job's nodes in their order, e.g. 0-15,20 (default: all)");
  command->add_option("--ranks-per-node", o->ranks_per_node, "ranks that share a node, up to its cores")
      ->capture_default_str();
  command
      ->add_option("--compute", o->compute,
                   "recorded computation: none (infinitely fast), trace (as recorded), xF (F times as long)")
      ->capture_default_str();
  command->add_option("--eager", o->eager, "largest message sent without waiting for its receive")
      ->capture_default_str();
  command->add_option("--envelope", o->envelope, "bytes that every message carries besides its own")
      ->capture_default_str();
  command
      ->add_option("--collectives", o->collectives,
                   "default or smpi, with overrides: default:alltoall=linear,bcast=binomial")
      ->capture_default_str();
  command->add_option("--engine", o->engine, "simgrid[:sharing=equal|latency,optim=lazy|full]")->capture_default_str();
  command->add_option("--seed", o->seed, "seed of everything random")->capture_default_str();
  command->add_option("--json", o->json,
                      "write the whole result as JSON (- for standard output); fields in docs/results.md");
  command->add_option("--links-csv", o->links_csv, "write the load of every used link as CSV");
  command->add_option("--ranks-csv", o->ranks_csv, "write the times of every rank as CSV");
  command->callback([o] { simulate(*o); });
}

}  // namespace toroid::cli
