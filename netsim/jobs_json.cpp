#include "netsim/jobs_json.hpp"

#include "core/json.hpp"
#include "netsim/result_json.hpp"

namespace toroid::netsim {

using core::Json;
using core::Object;

namespace {

struct ToldJob {
  const JobResult& result;
  const PlacedJob& placed;
  std::optional<double> uncharged;
  const ToldOfJobs::OfJob* told;  ///< null: nothing

  Json of_told(auto value) const { return told == nullptr ? core::absent() : Json(value(*told)); }
};

const Object<ToldJob> job_object{
    "job",
    {{"name", "text", "as given, or by default", [](auto& j) { return j.placed.name; }},
     {"start_s", "seconds", "when the job started; of a job that never started, its end",
      [](auto& j) { return j.result.start; }},
     {"end_s", "seconds", "when it ended", [](auto& j) { return j.result.end; }},
     {"end", "text", "done; killed; failed; with the others, for repeat=until-end",
      [](auto& j) { return to_string(j.result.how); }},
     {"error", "text or null", "why the job failed",
      [](auto& j) { return j.result.complaint.empty() ? Json() : Json(j.result.complaint); }},
     {"rounds_s", "list of seconds", "run times of the rounds that were done", [](auto& j) { return j.result.rounds; }},
     {"runtime_s", "seconds or null", "their mean; null if there is none", [](auto& j) { return j.result.runtime(); }},
     {"alone_s", "seconds or null",
      "run time of a round with the machine to itself; null if no round was done beside others",
      [](auto& j) { return j.result.alone; }},
     {"slowdown", "number or null", "runtime_s / alone_s; null if either is null, or alone_s is 0",
      [](auto& j) { return j.result.slowdown(); }},
     {"lost_s", "seconds or null", "how much longer the rounds took than as many rounds alone; null if alone_s is",
      [](auto& j) { return j.result.lost(); }},
     {"...", "fields of traffic", "all that the job sent", [](auto& j) { return traffic_json(j.result); }},
     {"repeated_messages", "count",
      "of its messages, those in iterations that repeat earlier ones and were not simulated",
      [](auto& j) { return j.result.repeated; }},
     {"critical_path", "critical path",
      "the parts, summed over the rounds that were done; shares are those of the sum of these rounds",
      [](auto& j) { return critical_path_json(j.result.critical_path, j.result.total()); }},
     {"ranks", "list of rank", "of the last round", [](auto& j) { return ranks_json(j.result.ranks); }},
     {"uncharged_s", "seconds or null",
      "the part of lost_s that is charged to no other job and no change of the machine; may be negative",
      &ToldJob::uncharged},
     {"explanation", "explanation or null",
      "only with --explain: of the last round that was done; null if there is none",
      [](auto& j) { return j.told == nullptr ? core::absent() : j.told->explanation; }},
     {"computation", "computation", "of one round",
      [](auto& j) {
        return j.told == nullptr ? core::absent()
                                 : computation_json(j.told->computation, j.result.runtime().value_or(0));
      }},
     {"trace", "text", "the program", [](auto& j) { return j.of_told([](auto& t) { return t.trace; }); }},
     {"map", "text", "the mapper", [](auto& j) { return j.of_told([](auto& t) { return t.map; }); }},
     {"seed", "count", "of its mapping", [](auto& j) { return j.of_told([](auto& t) { return t.seed; }); }},
     {"nodes", "list of count", "its nodes, in their order",
      [](auto& j) { return j.of_told([](auto& t) { return t.nodes; }); }}}};

/// What a job lost to another one, or to changes of the machine.
struct Loss {
  std::string victim;
  std::optional<std::string> aggressor;
  std::optional<double> seconds;
  double rounds;  ///< seconds that all rounds of the victim took
};

const Object<Loss> contention_object{
    "contention",
    {{"victim", "text", "the job that lost time", &Loss::victim},
     {"aggressor", "text or null", "the job that it lost the time to; null stands for changes of the machine (--at)",
      &Loss::aggressor},
     {"contention_s", "seconds or null",
      "what the victim's rounds lost to the aggressor; null for a job and itself with shapley", &Loss::seconds},
     {"runtime_share", "share or null", "that time over the time of these rounds",
      [](auto& l) { return l.seconds ? Json(share(*l.seconds, l.rounds)) : Json(); }}}};

struct ToldJobs {
  const JobsRequest& request;
  const JobsResult& result;
  const ToldOfJobs& told;

  Json jobs() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < result.jobs.size(); ++i)
      all.push_back(
          job_object({result.jobs[i], request.jobs[i], result.is_attributed() ? result.uncharged(i) : std::nullopt,
                      told.jobs.empty() ? nullptr : &told.jobs[i]}));
    return all;
  }
  Json contention() const {
    if (!result.is_attributed()) return {};
    std::vector<Loss> all;
    for (std::size_t victim = 0; victim < result.jobs.size(); ++victim) {
      const auto& name = request.jobs[victim].name;
      const double rounds = result.jobs[victim].total();
      const auto losses = result.losses(victim);
      for (std::size_t aggressor = 0; aggressor < losses.size(); ++aggressor)
        all.push_back({name, request.jobs[aggressor].name, losses[aggressor], rounds});
      if (!request.changes.changes.empty()) all.push_back({name, {}, result.jobs[victim].changes, rounds});
    }
    return contention_object.list(all);
  }
  /// The links, each with the bytes that it carried for each job.
  Json links(const std::vector<LinkResult>& some) const {
    return links_json(request.machine, some, result.utilization_window.has_value(), [&](LinkId link) {
      Json bytes;
      for (const auto& load : result.loads_of(link)) bytes[request.jobs[load.job].name] = load.bytes;
      return bytes;
    });
  }
};

const Object<ToldJobs> several_jobs_object{
    "several jobs",
    {core::version_field<ToldJobs>(),
     {"runtime_s", "seconds", "from 0 to the end of the last job", [](auto& j) { return j.result.runtime; }},
     {"jobs", "list of job", "in the order of the options", &ToldJobs::jobs},
     {"attribution", "text", "how jobs are charged: links or shapley",
      [](auto& j) { return j.result.shapley ? "shapley" : "links"; }},
     {"contention", "list of contention or null", "a line for each pair; null with an engine that cannot tell",
      &ToldJobs::contention},
     {"no_contention_because", "text or null", "why the engine cannot tell",
      [](auto& j) { return j.result.is_attributed() ? Json() : Json(j.result.why_not_shared); }},
     {"links_used", "count", "links of the grid that carried anything", [](auto& j) { return j.result.links.size(); }},
     {"bottleneck_links", "list of link", "up to 10 links with the highest mean utilization, the highest first",
      [](auto& j) { return j.links(busiest(j.result.links)); }},
     {"utilization_window_s", "seconds or null", "length of the windows of peak_utilization; null with --windows 0",
      [](auto& j) { return j.result.utilization_window; }},
     {"links", "list of link", "every link that carried anything, for all jobs together",
      [](auto& j) { return j.told.links ? j.links(j.result.links) : core::absent(); }},
     {"remarks", "list of text", "only if there are some: what to know of the engine on that machine, a line each",
      [](auto& j) { return core::unless_empty(j.told.remarks); }},
     {"events", "list of event", "only with --at, in the order of the options", [](auto& j) { return j.told.events; }},
     core::field<ToldJobs>(core::manifest_text, [](auto& j) { return j.told.manifest; })}};

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

Json jobs_json(const JobsRequest& request, const JobsResult& result, const ToldOfJobs& told) {
  return several_jobs_object({request, result, told});
}

std::vector<core::ObjectText> jobs_objects() {
  return {several_jobs_object, job_object, contention_object};
}

}  // namespace toroid::netsim
