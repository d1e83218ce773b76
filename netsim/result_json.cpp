#include "netsim/results/result_parts.hpp"

namespace toroid::netsim {

using core::Json;
using core::Object;

namespace {

Json ranks_json(std::span<const RankReport> ranks) {
  Json all = Json::array();
  for (const auto& rank : ranks) all.push_back(rank_object({rank, all.size()}));
  return all;
}

const Object<RepeatedIterations> repetition_object{
    "repetition",
    {{"kind", "text", "exact (told as if simulated), or sampled (an estimate)",
      [](auto& r) { return r.is_sampled() ? "sampled" : "exact"; }},
     {"first_iteration", "count", "the first that was passed over, from 1", &RepeatedIterations::first},
     {"iterations", "count", "how many were passed over", &RepeatedIterations::count},
     {"period", "count or null", "they repeat the iterations so many before them; null if sampled",
      [](auto& r) { return r.is_sampled() ? Json() : Json(r.period); }},
     {"messages", "count", "that these iterations sent", &RepeatedIterations::messages}}};

struct ToldSample : SampledIterations {
  double runtime;

  Json of_estimate(auto value) const { return is_estimate() ? Json(value) : Json(); }
};

const Object<ToldSample> sample_object{
    "sample of iterations",
    {{"wanted", "share", "half width of the interval over the run time", &ToldSample::wanted},
     {"iterations", "count", "of the program; 0 if none were found", &ToldSample::iterations},
     {"left_out", "count", "of these; 0 if all were simulated", &ToldSample::left_out},
     {"warm_up", "count or null", "iterations before they were steady",
      [](auto& s) { return s.of_estimate(s.warm_up); }},
     {"clusters", "count or null", "of successive iterations, whose means are the sample",
      [](auto& s) { return s.of_estimate(s.clusters); }},
     {"runtime_half_width_s", "seconds or null", "of the 95 % interval of the run time; null if all was simulated",
      [](auto& s) { return s.of_estimate(s.half_width); }},
     {"runtime_half_width", "share or null", "the same over the run time",
      [](auto& s) { return s.of_estimate(share(s.half_width, s.runtime)); }},
     {"whole_because", "text or null", "why all were simulated; null if they were not",
      [](auto& s) { return s.is_estimate() ? Json() : Json(s.why_whole); }}}};

// --- the jobs of a run ---

struct ToldJob {
  const JobResult& result;
  const PlacedJob& placed;
  std::span<const RankReport> ranks;
  std::optional<double> uncharged;
  const ToldOfJob* told;  ///< null: nothing

  Json of_told(auto value) const { return told == nullptr ? core::absent() : Json(value(*told)); }
};

const Object<ToldJob> job_object{
    "job",
    {{"name", "text", "as given, or by default", [](auto& j) { return j.placed.name; }},
     {"start_s", "seconds", "of a job that never started, its end", [](auto& j) { return j.result.start; }},
     {"end_s", "seconds", "when it ended", [](auto& j) { return j.result.end; }},
     {"end", "text", "done; killed; failed; with the others, for repeat=until-end",
      [](auto& j) { return to_string(j.result.how); }},
     {"error", "text or null", "why the job failed",
      [](auto& j) { return j.result.complaint.empty() ? Json() : Json(j.result.complaint); }},
     {"rounds_s", "list of seconds", "run times of the rounds that were done", [](auto& j) { return j.result.rounds; }},
     {"runtime_s", "seconds or null", "their mean; null if there is none", [](auto& j) { return j.result.runtime(); }},
     {"alone_s", "seconds or null", "of a round alone on the machine; null if no round was done beside others",
      [](auto& j) { return j.result.alone; }},
     {"slowdown", "number or null", "runtime_s / alone_s; null if either is null, or alone_s is 0",
      [](auto& j) { return j.result.slowdown(); }},
     {"lost_s", "seconds or null", "what rounds took more than as many alone; null if alone_s is",
      [](auto& j) { return j.result.lost(); }},
     {"...", "fields of traffic", "all that the job sent", [](auto& j) { return traffic_object(j.result); }},
     {"repeated_messages", "count", "of these, in iterations that were not simulated",
      [](auto& j) { return j.result.repeated; }},
     {"critical_path", "critical path", "summed over the rounds that were done",
      [](auto& j) { return critical_path_json(j.result.critical_path, j.result.total()); }},
     {"ranks", "list of rank", "of the last round", [](auto& j) { return ranks_json(j.ranks); }},
     {"uncharged_s", "seconds or null", "of lost_s, charged to no other job and no event", &ToldJob::uncharged},
     {"explanation", "explanation or null", "only with --explain: of the last round that was done",
      [](auto& j) { return j.of_told([](auto& t) { return t.explanation; }); }},
     {"computation", "computation", "of one round",
      [](auto& j) {
        return j.of_told([&](auto& t) { return computation_json(*t.computation, j.result.runtime().value_or(0)); });
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
  double seconds;
  double rounds;  ///< seconds that all rounds of the victim took
};

const Object<Loss> contention_object{
    "contention",
    {{"victim", "text", "the job that lost time", &Loss::victim},
     {"aggressor", "text or null", "to whom it lost the time; null: changes of the machine (--at)", &Loss::aggressor},
     {"contention_s", "seconds", "that its rounds lost", &Loss::seconds},
     {"runtime_share", "share", "that time over the time of these rounds",
      [](auto& l) { return share(l.seconds, l.rounds); }}}};

// --- the documents ---

/// What a document of a run is made from.
struct ToldRun {
  const Machine& machine;
  const Run* run;  ///< null in the document of one job
  const Result& result;
  const ToldOfRun& told;

  /// The links, each with the bytes that it carried for each of several jobs.
  Json links(const std::vector<LinkResult>& some) const {
    Json all = Json::array();
    for (const auto& link : some)
      all.push_back(link_object({link,
                                 {platforms::link_facts(machine, link.link), machine},
                                 result.utilization_window.has_value(),
                                 run == nullptr ? core::absent() : bytes_by_job(link.link)}));
    return all;
  }
  Json bytes_by_job(LinkId link) const {
    Json bytes;
    for (const auto& load : result.loads_of(link)) bytes[run->jobs[load.job].name] = load.bytes;
    return bytes;
  }

  // One job.

  Json of_job(auto value) const { return told.jobs.empty() ? core::absent() : Json(value(told.jobs.front())); }
  Json critical_path() const {
    const bool with_steps = told.steps.value_or(!result.critical_steps.empty());
    Json steps = with_steps ? Json::array() : core::absent();
    if (with_steps)
      for (const auto& step : result.critical_steps) steps.push_back(step_object({step}));
    return critical_path_object({result.critical_path, result.runtime, std::move(steps)});
  }
  Json exposed() const {
    Json all = Json::array();
    const auto ranks = static_cast<double>(result.ranks.size());
    for (const auto& [purpose, blocked] : result.exposed)
      all.push_back(exposed_object({{blocked.transfer / ranks, blocked.wait / ranks}, purpose}));
    return all;
  }
  Json computation() const {
    return of_job([&](auto& job) {
      return job.computation ? computation_json(*job.computation, result.runtime) : core::absent();
    });
  }
  Json training() const {
    const auto ranks = static_cast<std::int32_t>(result.ranks.size());
    return of_job([&](auto& job) {
      return job.computation ? training_json(job.training, *job.computation, ranks, result.runtime) : core::absent();
    });
  }

  // Several jobs.

  Json jobs() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < result.jobs.size(); ++i)
      all.push_back(job_object({result.jobs[i], run->jobs[i], result.ranks_of(i),
                                result.is_attributed() ? result.uncharged(i) : std::nullopt,
                                told.jobs.empty() ? nullptr : &told.jobs[i]}));
    return all;
  }
  Json contention() const {
    if (!result.is_attributed()) return {};
    std::vector<Loss> all;
    for (std::size_t victim = 0; victim < result.jobs.size(); ++victim) {
      const auto& name = run->jobs[victim].name;
      const double rounds = result.jobs[victim].total();
      const auto& charges = result.jobs[victim].charges;
      for (std::size_t aggressor = 0; aggressor < charges.size(); ++aggressor)
        all.push_back({name, run->jobs[aggressor].name, charges[aggressor], rounds});
      if (!run->changes.changes.empty()) all.push_back({name, {}, result.jobs[victim].changes, rounds});
    }
    return contention_object.list(all);
  }
};

using ToldField = core::Field<ToldRun>;

const ToldField bottlenecks_field{
    "bottleneck_links", "list of link", "up to 10 with the highest mean utilization",
    [](auto& r) { return r.told.bottlenecks ? r.links(r.result.bottlenecks()) : core::absent(); }};
const ToldField window_field{"utilization_window_s", "seconds or null", "length of windows; null with --windows 0",
                             [](auto& r) { return r.result.utilization_window; }};
const ToldField remarks_field{"remarks", "list of text", "only if there are some: on the engine",
                              [](auto& r) { return core::unless_empty(r.told.remarks); }};
const ToldField events_field{"events", "list of event", "only with --at, in their order",
                             [](auto& r) { return r.told.events; }};
const ToldField manifest_field = core::field<ToldRun>(core::manifest_text, [](auto& r) { return r.told.manifest; });

const Object<ToldRun> run_object{
    "run",
    {core::version_field<ToldRun>(),
     {"runtime_s", "seconds", "predicted; a communication time if computation is left_out",
      [](auto& r) { return r.result.runtime; }},
     {"...", "fields of traffic", "what the program sent", [](auto& r) { return traffic_object(r.result); }},
     {"...", "fields of loads", "what links carried", [](auto& r) { return loads_object(r.result.loads); }},
     {"collectives", "list of collective", "which algorithms ran",
      [](auto& r) { return collective_object.list(r.result.collectives); }},
     {"critical_path", "critical path", "the parts of the run time", &ToldRun::critical_path},
     {"exposed", "list of exposed", "what ranks wait for, by the purpose of communicators", &ToldRun::exposed},
     bottlenecks_field,
     {"ranks", "list of rank", "every rank, in order",
      [](auto& r) { return r.told.ranks ? ranks_json(r.result.ranks.elements()) : core::absent(); }},
     window_field,
     {"links", "list of link", "all that carried anything, by number",
      [](auto& r) { return r.told.links ? r.links(r.result.links) : core::absent(); }},
     {"repeated", "list of repetition", "iterations that were not simulated, but count in all other fields",
      [](auto& r) { return repetition_object.list(r.result.repeated); }},
     {"sampled", "sample of iterations or null", "with --repeats sample: the estimate and its interval",
      [](auto& r) {
        return r.result.sampled ? sample_object({*r.result.sampled, r.result.runtime}) : Json();
      }},
     {"computation", "computation", "what ranks compute", &ToldRun::computation},
     {"training", "training or null", "of a training of a language model", &ToldRun::training},
     {"notes", "list of text", "only if there are some: of the mapper",
      [](auto& r) { return r.of_job([](auto& job) { return core::unless_empty(job.notes); }); }},
     remarks_field,
     events_field,
     {"verification", "verification", "only with --verify", [](auto& r) { return r.told.verification; }},
     {"uncertainty", "uncertainty", "only with --uncertainty", [](auto& r) { return r.told.uncertainty; }},
     {"explanation", "explanation", "only with --explain",
      [](auto& r) { return r.of_job([](auto& job) { return job.explanation; }); }},
     manifest_field}};

const Object<ToldRun> several_jobs_object{
    "several jobs",
    {core::version_field<ToldRun>(),
     {"runtime_s", "seconds", "to the end of the last job", [](auto& r) { return r.result.runtime; }},
     {"jobs", "list of job", "in the order of the options", &ToldRun::jobs},
     {"contention", "list of contention or null", "for each pair; null with an engine that cannot tell",
      &ToldRun::contention},
     {"no_contention_because", "text or null", "why the engine cannot tell",
      [](auto& r) { return r.result.is_attributed() ? Json() : Json(r.result.why_not_shared); }},
     {"links_used", "count", "links of the grid that carried anything", [](auto& r) { return r.result.links.size(); }},
     bottlenecks_field,
     window_field,
     {"links", "list of link", "every link that carried anything, for all jobs",
      [](auto& r) { return r.told.links ? r.links(r.result.links) : core::absent(); }},
     remarks_field,
     events_field,
     manifest_field}};

}  // namespace

std::string_view to_string(JobOutcome end) {
  return std::array{"done", "killed", "failed", "with the others"}[static_cast<std::size_t>(end)];
}

Json result_json(const Machine& machine, const Result& result, const ToldOfRun& told) {
  return run_object({machine, nullptr, result, told});
}

Json jobs_json(const Run& run, const Result& result, const ToldOfRun& told) {
  return several_jobs_object({run.machine, &run, result, told});
}

void add_remarks(Json& result, const std::vector<std::string>& remarks) {
  if (!remarks.empty()) result["remarks"] = remarks;
}

Json settings_json(const std::vector<std::pair<std::string, std::string>>& engine_settings) {
  Json settings;
  for (const auto& [key, value] : engine_settings) settings[key] = value;
  return settings;
}

std::vector<core::ObjectText> run_objects() {
  return {run_object,        traffic_object, loads_object,       collective_object, critical_path_object,
          step_object,       exposed_object, rank_object,        link_object,       platforms::link_facts_object(),
          repetition_object, sample_object,  computation_object, training_object,   training_memory_object};
}

std::vector<core::ObjectText> jobs_objects() {
  return {several_jobs_object, job_object, contention_object};
}

}  // namespace toroid::netsim
