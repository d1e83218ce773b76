// Several jobs in one run: each alone, and all together.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/explanation_tables.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/simulate.hpp"
#include "cli/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/units.hpp"
#include "netsim/jobs_json.hpp"
#include "netsim/mapping.hpp"
#include "netsim/result_json.hpp"
#include "netsim/run.hpp"
#include "study/advice/explanation.hpp"
#include "study/tasks/executor.hpp"
#include "views/documents/run_document.hpp"
#include "views/machines/machine_drawing.hpp"
#include "workloads/amounts.hpp"

namespace toroid::cli {
namespace {

using core::Json;

void refuse_options_of_one(const SimulateOptions& o) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) core::fail_input("{} is for a single TRACE; {}", option, why);
  };
  if (!o.trace.empty() && !o.jobs.empty()) core::fail_input("found TRACE and --job, expected one of them");
  refuse(!o.placement.nodes.empty() && !o.jobs.empty(), "--nodes",
         "a job's nodes stand after its trace: --job TRACE@0-15");
  for (const auto& [format, path] : wanted_formats(o))
    refuse(true, fmt::format("--{}", format->name).c_str(), "run each of the jobs alone");
  refuse(o.draws > 0, "--uncertainty", "machines are drawn for one TRACE");
  refuse(!o.critical_path_csv.empty(), "--critical-path-csv", "jobs have the parts of their critical paths in --json");
  refuse(o.verify.has_value(), "--verify", "run the jobs again with another --engine");
  refuse(o.profile, "--profile", "found --job");
  o.replay.refuse_sample("as jobs share the network");
}

/// The jobs of the options, or the TRACE as a job, and then the neighbours that --busy brings.
std::vector<cosim::JobDescription> described_jobs(const SimulateOptions& o, const platforms::Machine& machine,
                                                  std::vector<cosim::JobDescription> neighbours) {
  auto jobs = parse_jobs(o);
  if (jobs.empty()) {
    auto& job = jobs.emplace_back(usual_job(o, "job", o.trace));
    // As a TRACE without neighbours has it, unless an allocator chooses: all nodes that are free.
    std::vector<platforms::NodeId> taken;
    for (const auto& one : neighbours) taken.insert(taken.end(), one.held.begin(), one.held.end());
    if (!o.placement.alloc) job.held = o.placement.wanted(machine, taken);
  }
  std::move(neighbours.begin(), neighbours.end(), std::back_inserter(jobs));
  return jobs;
}

/// All jobs together, then each alone, and in all other combinations if that is wanted.
netsim::JobsResult run(const netsim::JobsRequest& request, bool by_shapley) {
  double operations = 0;
  for (const auto& job : request.jobs)
    operations += job.rounds == netsim::until_end ? 0 : job.rounds * workloads::about_length(job.trace);
  announce_operations(operations);
  auto result = [&] {
    core::Progress bar("simulating", static_cast<std::uint64_t>(operations));
    return netsim::run_together(request, &bar);
  }();
  for (std::size_t job = 0; job < request.jobs.size(); ++job) {
    if (result.jobs[job].rounds.empty()) continue;
    core::Progress bar(fmt::format("{} alone", request.jobs[job].name), request.jobs[job].trace.operation_count());
    result.jobs[job].alone = netsim::run_alone(request, job, &bar);
  }
  if (by_shapley) {
    core::Progress bar("combinations", netsim::combinations_for_shapley(request));
    result.shapley = netsim::shapley_losses(request, result, &bar);
  }
  return result;
}

// --- tables for programs ---

/// What stands in tables of each job: lists and parts one by one or not at all.
Json job_rows(const Json& jobs) {
  Json rows = Json::array();
  for (const auto& job : jobs) {
    auto row = job;
    for (const auto& [key, value] : job["critical_path"].items()) row[key] = value;
    for (const auto* key : {"critical_path", "ranks", "computation", "explanation"}) row.erase(key);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json rank_rows(const Json& jobs) {
  Json rows = Json::array();
  for (const auto& job : jobs)
    for (const auto& rank : job["ranks"]) {
      Json row{{"job", job["name"]}};
      row.update(rank);
      rows.push_back(std::move(row));
    }
  return rows;
}

// --- for people ---

using Explanations = std::vector<std::optional<study::Explanation>>;

/// For each job, the mappings that explanations try besides its own.
std::vector<std::vector<study::OtherMapping>> other_mappings(const cosim::PlacingRequest& placing,
                                                             const cosim::PlacedJobs& placed) {
  std::vector<std::vector<study::OtherMapping>> others(placing.jobs.size());
  for (std::size_t job = 0; job < others.size(); ++job)
    others[job] = study::other_mappings(placing.jobs[job].map, [&](const mapping::MapperChoice& mapper) {
      return cosim::mapping_by(mapper, placing, placed, job);
    });
  return others;
}

/// Why each job takes its time.
std::string explanations_text(const netsim::JobsRequest& request, const netsim::JobsResult& result,
                              const Explanations& explanations) {
  std::vector<std::string> names;
  for (const auto& job : request.jobs) names.push_back(job.name);
  std::string text;
  for (std::size_t job = 0; job < explanations.size(); ++job) {
    const auto rounds = result.jobs[job].rounds.size();
    text += fmt::format("\n{}: ", core::excerpt(names[job]));
    if (!explanations[job]) {
      text += "no round was done, so there is nothing to explain\n";
      continue;
    }
    text += fmt::format("{}{}\n", core::format_duration(explanations[job]->runtime),
                        rounds > 1 ? fmt::format(", the last of {} rounds", rounds) : "");
    text += text_of(*explanations[job], request.machine, result.last_round(job), names);
  }
  return text;
}

std::string summary(const SimulateOptions& o, const netsim::JobsRequest& request, const netsim::JobsResult& result,
                    const std::vector<cosim::Allocation>& nodes,
                    const std::vector<netsim::ComputationUse>& computations, const std::string& explanations) {
  const auto count = request.jobs.size();
  auto text = fmt::format("{} job{} on {}, the last one ends at {}\n\n", count, count == 1 ? "" : "s", o.platform,
                          core::format_duration(result.runtime));
  if (const auto remarks = netsim::named_remarks(o.engine, request.machine); !remarks.empty())
    text += remark_lines(remarks) + "\n";
  text += jobs_table(request, result, nodes) + repeats_text(request, result) +
          computations_text(request, computations) + "\n" + contention_table(request, result) +
          shared_links_table(request, result);
  for (std::size_t i = 0; i < count; ++i)
    if (const auto& complaint = result.jobs[i].complaint; !complaint.empty())
      text += fmt::format("\njob '{}' failed: {}\n", core::excerpt(request.jobs[i].name), complaint);
  return text + explanations + o.events.too_late(result.runtime);
}

/// What the run of these jobs is called.
views::RunNames names_of(const SimulateOptions& o, const std::vector<cosim::JobDescription>& jobs,
                         const std::vector<netsim::ComputationUse>& computations) {
  std::set<std::string> maps;
  for (const auto& job : jobs) maps.insert(job.map.text());
  return {o.platform, fmt::format("{} job{}", jobs.size(), jobs.size() == 1 ? "" : "s"),
          core::join({maps.begin(), maps.end()}), o.engine.text(),
          std::ranges::any_of(computations, &netsim::ComputationUse::is_left_out)};
}

/// What a page draws of that run.
views::Columns columns_of(const views::RunNames& names, const netsim::JobsRequest& request,
                          const netsim::JobsResult& result, const netsim::ReplayOptions& replay, const Json& json) {
  std::vector<workloads::CommunicationMatrix> matrices;
  for (const auto& job : request.jobs)
    matrices.push_back(netsim::placed_matrix(request.machine, WatchedTrace(job.trace, "adding up messages"),
                                             replay.collectives, job.mapping));
  return views::jobs_columns(request, result, matrices, json, names);
}

}  // namespace

void simulate_jobs(const SimulateOptions& o, Kept& kept, const TakeResult& take) {
  refuse_options_of_one(o);
  check_shown(o);
  const auto replay = o.replay.options();
  const auto matrix = mapping::parse_matrix_kind(o.matrix);
  const auto shared_machine = kept.machine(o.platform);
  const auto& machine = *shared_machine;
  const auto plane = plane_of(o, machine);
  const auto descriptions = described_jobs(o, machine, o.placement.neighbours(machine, o.seed));
  Shown shown(o);
  auto& json = shown.json;
  auto& outputs = shown.outputs;
  outputs.add(o.jobs_csv, [&] { return core::csv_of(job_rows(json["jobs"])); });
  outputs.add(o.contention_csv, [&] { return core::csv_of(json["contention"]); });
  outputs.add(o.links_csv, [&] { return core::csv_of(json["links"]); });
  outputs.add(o.ranks_csv, [&] { return core::csv_of(rank_rows(json["jobs"])); });
  std::vector<std::string> names;
  for (const auto& job : descriptions) names.push_back(job.name);
  const auto events = o.events.events(machine, names);
  netsim::check_engine_for(events.changes, o.engine);
  // What neighbours hold is theirs.
  const auto busy = o.placement.has_neighbours() ? cosim::Allocation() : o.placement.taken(machine, o.seed);
  const cosim::PlacingRequest placing{machine, descriptions, busy, replay, matrix};
  const auto placed = cosim::place_jobs(placing);
  const auto on_failure = o.others == "go-on" ? netsim::OnFailedJob::go_on : netsim::OnFailedJob::stop;
  netsim::JobsRequest request{machine, placed.jobs, o.engine, o.windows, on_failure, events.kills, events.changes};
  if (o.draws_page()) views::record_for_columns(request);
  if (o.explain) study::record_for_explanation(request);
  const bool by_shapley = o.attribution == "shapley";
  if (by_shapley) netsim::check_for_shapley(request);
  const auto result = run(request, by_shapley);
  netsim::ToldOfJobs told{.links = writes_tables(o) || !o.links_csv.empty() || o.tables,
                          .remarks = netsim::named_remarks(o.engine, machine)};
  if (!o.events.at.empty()) told.events = cosim::events_json(o.events.told(result.runtime));
  Explanations explanations;
  if (o.explain) explanations = study::explain(request, result, other_mappings(placing, placed), o.worker_count());
  auto used = Json::array();
  std::vector<netsim::ComputationUse> computations;
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const auto& trace = placed.jobs[i].trace;
    const auto& computation = computations.emplace_back(
        netsim::computation_use(trace, workloads::computation_by_rank(trace), machine, replay));
    used.push_back(compute_in_words(computation));
    const auto& job = descriptions[i];
    told.jobs.push_back({core::absent(), computation, job.trace.text(), job.map.text(), job.seed, placed.nodes[i]});
    if (o.explain)
      told.jobs[i].explanation =
          explanations[i] ? study::explanation_json(*explanations[i], machine, result.last_round(i), names) : Json();
  }
  told.manifest = run_manifest(o, kept, std::move(used), result.engine_settings);
  json = netsim::jobs_json(request, result, told);
  const auto run_names = names_of(o, descriptions, computations);
  if (o.draws_page()) shown.columns = columns_of(run_names, request, result, replay, json);
  if (o.draws_picture())
    shown.draw(machine, plane, result.links, views::drawn_ranks(request, busy), run_names,
               fmt::format("the last one ends at {}{}", core::format_duration(result.runtime),
                           run_names.computation_is_left_out ? ", computation left out" : ""));
  if (take) return take(std::move(json));
  outputs.write();
  if (!outputs.to_stdout())
    print(summary(o, request, result, placed.nodes, computations, explanations_text(request, result, explanations)));
}

}  // namespace toroid::cli
