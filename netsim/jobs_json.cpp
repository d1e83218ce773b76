#include "netsim/jobs_json.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/json_object.hpp"
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
            {"slowdown", or_null(r.slowdown())},
            {"lost_s", or_null(r.lost())}};
  core::append(json, traffic_json(r));
  json["critical_path"] = critical_path_json(r.critical_path, time_of(r.rounds));
  json["ranks"] = ranks_json(r.ranks);
  return json;
}

/// What the job is charged with by others, seconds by job; nothing for itself where that is not known.
std::vector<std::optional<double>> charges_of(const JobsResult& result, std::size_t victim) {
  const auto& charges = result.shapley ? (*result.shapley)[victim] : result.jobs[victim].charges;
  std::vector<std::optional<double>> all(charges.begin(), charges.end());
  if (result.shapley) all[victim].reset();
  return all;
}

/// Victim by aggressor; no aggressor stands for changes of the machine.
Json contention_json(const std::vector<PlacedJob>& jobs, const JobsResult& result, bool with_changes) {
  Json rows = Json::array();
  for (std::size_t victim = 0; victim < jobs.size(); ++victim) {
    const double time = time_of(result.jobs[victim].rounds);
    const auto add = [&](const Json& aggressor, const std::optional<double>& seconds) {
      rows.push_back({{"victim", jobs[victim].name},
                      {"aggressor", aggressor},
                      {"contention_s", or_null(seconds)},
                      {"runtime_share", seconds ? Json(share(*seconds, time)) : Json()}});
    };
    const auto charges = charges_of(result, victim);
    for (std::size_t aggressor = 0; aggressor < charges.size(); ++aggressor)
      add(jobs[aggressor].name, charges[aggressor]);
    if (with_changes) add(Json(), result.jobs[victim].changes);
  }
  return rows;
}

/// What the job lost beside what others and changes of the machine are charged with.
std::optional<double> uncharged(const JobsResult& result, std::size_t victim) {
  auto rest = result.jobs[victim].lost();
  if (!rest) return rest;
  const auto charges = charges_of(result, victim);
  *rest -= result.jobs[victim].changes;
  for (std::size_t other = 0; other < charges.size(); ++other)
    if (other != victim) *rest -= charges[other].value();
  return rest;
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
  const bool is_known = result.shapley || result.why_not_shared.empty();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto job = job_json(jobs[i], result.jobs[i]);
    job["uncharged_s"] = is_known ? or_null(uncharged(result, i)) : Json();
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
