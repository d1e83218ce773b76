#include "netsim/jobs_json.hpp"

#include <tuple>

#include "core/json.hpp"
#include "netsim/result_json.hpp"

namespace toroid::netsim {

using core::Json;

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json job_json(const PlacedJob& job, const JobResult& r) {
  Json json{{"name", job.name},
            {"start_s", r.start},
            {"end_s", r.end},
            {"end", to_string(r.how)},
            {"error", r.complaint.empty() ? Json() : Json(r.complaint)},
            {"rounds_s", r.rounds},
            {"runtime_s", or_null(r.runtime())},
            {"alone_s", or_null(r.alone)},
            {"slowdown", or_null(r.slowdown())},
            {"lost_s", or_null(r.lost())}};
  core::append(json, traffic_json(r));
  json["repeated_messages"] = r.repeated;
  json["critical_path"] = critical_path_json(r.critical_path, r.total());
  json["ranks"] = ranks_json(r.ranks);
  return json;
}

/// Victim by aggressor; no aggressor stands for changes of the machine.
Json contention_json(const std::vector<PlacedJob>& jobs, const JobsResult& result, bool with_changes) {
  Json rows = Json::array();
  for (std::size_t victim = 0; victim < jobs.size(); ++victim) {
    const double time = result.jobs[victim].total();
    const auto add = [&](const Json& aggressor, const std::optional<double>& seconds) {
      rows.push_back({{"victim", jobs[victim].name},
                      {"aggressor", aggressor},
                      {"contention_s", or_null(seconds)},
                      {"runtime_share", seconds ? Json(share(*seconds, time)) : Json()}});
    };
    const auto losses = result.losses(victim);
    for (std::size_t aggressor = 0; aggressor < losses.size(); ++aggressor)
      add(jobs[aggressor].name, losses[aggressor]);
    if (with_changes) add(Json(), result.jobs[victim].changes);
  }
  return rows;
}

/// The links, each with the bytes that it carried for each job.
Json shared_links_json(const Machine& machine, const std::vector<PlacedJob>& jobs, const JobsResult& result,
                       const std::vector<LinkResult>& links) {
  auto rows = links_json(machine, links, result.utilization_window.has_value());
  for (std::size_t i = 0; i < links.size(); ++i) {
    auto& bytes = rows[i]["bytes_by_job"];
    for (const auto& load : result.loads_of(links[i].link)) bytes[jobs[load.job].name] = load.bytes;
  }
  return rows;
}

}  // namespace

std::string_view to_string(JobOutcome end) {
  switch (end) {
    case JobOutcome::done:
      return "done";
    case JobOutcome::killed:
      return "killed";
    case JobOutcome::failed:
      return "failed";
    case JobOutcome::with_others:
      return "with the others";
  }
  return {};
}

Json jobs_json(const JobsRequest& request, const JobsResult& result, bool with_links) {
  const auto& [machine, jobs] = std::tie(request.machine, request.jobs);
  Json json{{"schema_version", core::schema_version}, {"runtime_s", result.runtime}, {"jobs", Json::array()}};
  const bool is_known = result.is_attributed();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto job = job_json(jobs[i], result.jobs[i]);
    job["uncharged_s"] = is_known ? or_null(result.uncharged(i)) : Json();
    json["jobs"].push_back(std::move(job));
  }
  json["attribution"] = result.shapley ? "shapley" : "links";
  json["contention"] = is_known ? contention_json(jobs, result, !request.changes.changes.empty()) : Json();
  json["no_contention_because"] = is_known ? Json() : Json(result.why_not_shared);
  json["links_used"] = result.links.size();
  json["bottleneck_links"] = shared_links_json(machine, jobs, result, busiest(result.links));
  json["utilization_window_s"] = or_null(result.utilization_window);
  if (with_links) json["links"] = shared_links_json(machine, jobs, result, result.links);
  return json;
}

}  // namespace toroid::netsim
