#include "netsim/jobs_json.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "netsim/result_json.hpp"

namespace toroid::netsim {

using core::Json;

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

double time_of(const std::vector<double>& rounds) {
  return std::accumulate(rounds.begin(), rounds.end(), 0.0);
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
            {"slowdown", or_null(r.slowdown())}};
  json.update(traffic_json(r));
  json["critical_path"] = critical_path_json(r.critical_path, time_of(r.rounds));
  json["ranks"] = ranks_json(r.ranks);
  return json;
}

/// Victim by aggressor; no aggressor stands for changes of the machine.
Json contention_json(const std::vector<PlacedJob>& jobs, const JobsResult& result, bool with_changes) {
  Json rows = Json::array();
  for (std::size_t victim = 0; victim < jobs.size(); ++victim) {
    const auto& r = result.jobs[victim];
    for (std::size_t aggressor = 0; aggressor < r.charges.size(); ++aggressor)
      rows.push_back({{"victim", jobs[victim].name},
                      {"aggressor", jobs[aggressor].name},
                      {"contention_s", r.charges[aggressor]},
                      {"runtime_share", share(r.charges[aggressor], time_of(r.rounds))}});
    if (with_changes)
      rows.push_back({{"victim", jobs[victim].name},
                      {"aggressor", Json()},
                      {"contention_s", r.changes},
                      {"runtime_share", share(r.changes, time_of(r.rounds))}});
  }
  return rows;
}

/// The links, each with the bytes that it carried for each job.
Json shared_links_json(const Machine& machine, const std::vector<PlacedJob>& jobs, const JobsResult& result,
                       const std::vector<LinkResult>& links) {
  auto rows = links_json(machine, links, result.utilization_window.has_value());
  for (std::size_t i = 0; i < links.size(); ++i) {
    auto& bytes = rows[i]["bytes_by_job"];
    if (!result.why_not_shared.empty()) continue;
    const auto& loads = result.job_loads;
    auto load = std::lower_bound(loads.begin(), loads.end(), links[i].link,
                                 [](const JobLoad& a, LinkId link) { return a.link < link; });
    for (; load != loads.end() && load->link == links[i].link; ++load) bytes[jobs[load->job].name] = load->bytes;
  }
  return rows;
}

}  // namespace

std::string_view to_string(JobEnd end) {
  switch (end) {
    case JobEnd::done:
      return "done";
    case JobEnd::killed:
      return "killed";
    case JobEnd::failed:
      return "failed";
    case JobEnd::with_others:
      return "with the others";
  }
  return {};
}

Json jobs_json(const JobsRequest& request, const JobsResult& result, bool with_links) {
  const auto& [machine, jobs] = std::tie(request.machine, request.jobs);
  Json json{{"schema_version", core::schema_version}, {"runtime_s", result.runtime}, {"jobs", Json::array()}};
  for (std::size_t i = 0; i < jobs.size(); ++i) json["jobs"].push_back(job_json(jobs[i], result.jobs[i]));
  const bool is_shared = result.why_not_shared.empty(), changes = !request.changes.changes.empty();
  json["contention"] = is_shared ? contention_json(jobs, result, changes) : Json();
  json["no_contention_because"] = is_shared ? Json() : Json(result.why_not_shared);
  json["links_used"] = result.links.size();
  json["bottleneck_links"] = shared_links_json(machine, jobs, result, busiest(result.links));
  json["utilization_window_s"] = or_null(result.utilization_window);
  if (with_links) json["links"] = shared_links_json(machine, jobs, result, result.links);
  return json;
}

}  // namespace toroid::netsim
