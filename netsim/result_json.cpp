#include "toroid/netsim/result_json.hpp"

#include "platforms/document.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::netsim {

using core::Json;
using core::Object;

namespace {

// --- what documents of one job and of several have in common ---

/// The metrics of messages, or those of what links carry.
template <class Source>
Object<Source> metrics_object(std::string_view name) {
  constexpr bool of_links = std::is_same_v<Source, LinkLoads>;
  std::vector<core::Field<Source>> fields;
  for (const auto& metric : metrics())
    if (metric.is_of_links() == of_links)
      fields.push_back({metric.name, metric.type, metric.meaning, [&metric](const Source& from) {
                          if constexpr (of_links)
                            return metric_json(metric.of({}, from));
                          else
                            return metric_json(metric.of(from, {}));
                        }});
  return {name, std::move(fields)};
}

/// The grid of the members of the communicator, `4x4`; empty for algorithms that do not look at one.
std::string grid_in_words(const CollectiveUse& use) {
  std::vector<std::string> extents;
  for (const auto extent : use.grid)
    if (extent > 0) extents.push_back(std::to_string(extent));
  return core::join(extents, "x");
}

const Object<SentMessages> traffic_object = metrics_object<SentMessages>("traffic");
const Object<LinkLoads> loads_object = metrics_object<LinkLoads>("loads");

/// What a time was taken for.
struct TimeParts : History {
  double whole = 0;  ///< seconds
  Json steps = core::absent();
};

const Object<TimeParts> critical_path_object{
    "critical path",
    {{"compute_s", "seconds", "computing and sleeping", &TimeParts::compute},
     {"latency_s", "seconds", "latencies of messages", &TimeParts::latency},
     {"bandwidth_s", "seconds", "bytes at full speed, as if no other rank sent any", &TimeParts::bandwidth},
     {"sharing_s", "seconds", "what other messages, or links made slower by events, added", &TimeParts::sharing},
     {"sharing_others_s", "seconds", "the part of sharing_s due to other jobs", &TimeParts::others},
     {"compute_share", "share", "compute_s over the run time", [](auto& t) { return share(t.compute, t.whole); }},
     {"latency_share", "share", "latency_s over the run time", [](auto& t) { return share(t.latency, t.whole); }},
     {"bandwidth_share", "share", "bandwidth_s over the run time", [](auto& t) { return share(t.bandwidth, t.whole); }},
     {"sharing_share", "share", "sharing_s over the run time", [](auto& t) { return share(t.sharing, t.whole); }},
     {"sharing_others_share", "share", "sharing_others_s over the run time",
      [](auto& t) { return share(t.others, t.whole); }},
     {"steps", "list of step", "only with --critical-path-csv: the path in the order of time", &TimeParts::steps}}};

struct RankRow : RankReport {
  std::size_t rank;
};

const Object<RankRow> rank_object{
    "rank",
    {{"rank", "count", "the rank", &RankRow::rank},
     {"node", "count", "its node", &RankRow::node},
     {"compute_s", "seconds", "computing or sleeping", &RankRow::compute},
     {"transfer_s", "seconds", "blocked while the (last) message that it waited for was on its way",
      &RankRow::transfer},
     {"wait_s", "seconds", "blocked before that message set off", &RankRow::wait},
     {"finish_s", "seconds", "the sum of these three times", &RankRow::finish},
     {"messages", "count", "that it sent, to itself, too", &RankRow::messages},
     {"bytes", "bytes", "that the rank sent", &RankRow::bytes}}};

struct UsedLink : LinkResult {
  platforms::PlacedLink placed;
  bool peaks;         ///< whether peak utilisations were measured
  Json bytes_by_job;  ///< what the link carried for each job; absent with one job
};

const Object<UsedLink> link_object{
    "link",
    {{"link", "count", "its number", [](auto& l) { return l.placed.link; }},
     {"name", "text", "its name, which options take", [](auto& l) { return l.placed.name; }},
     {"bytes", "bytes", "carried, envelopes included", &UsedLink::bytes},
     {"messages", "count", "carried; those without bytes count with the engine packet only", &UsedLink::flows},
     {"busy_s", "seconds", "with at least one message on the link", &UsedLink::busy},
     {"mean_utilization", "share", "bytes over what it could have carried, while it worked",
      &UsedLink::mean_utilization},
     {"peak_utilization", "share or null", "in its busiest window, at least the mean; null with --windows 0",
      [](auto& l) { return l.peaks ? Json(l.peak_utilization) : Json(); }},
     {"peak_flows", "count", "most messages on the link at one time", &UsedLink::peak_flows},
     {"...", "fields of link facts", "what the link is",
      [](auto& l) { return platforms::link_facts_object()(l.placed); }},
     {"bytes_by_job", "bytes by name or null", "only with several jobs", &UsedLink::bytes_by_job}}};

struct Computed : ComputationUse {
  std::optional<double> runtime;  ///< seconds that the run takes
};

const Object<Computed> computation_object{
    "computation",
    {{"kind", "text", "modelled, timed (nanoseconds) or counted (instructions)",
      [](auto& c) {
        return std::array{"modelled", "timed", "counted"}[static_cast<std::size_t>(c.kind)];
      }},
     {"scale", "number", "0 for --compute none, 1 for trace", &Computed::scale},
     {"core_speed", "number or null", "flops (or instructions) a second; null if timed", &Computed::core_speed},
     {"busiest_rank_s", "seconds", "by --compute trace, with sleep", &Computed::busiest_rank_s},
     {"all_ranks_s", "seconds", "the same summed over all ranks", &Computed::all_ranks_s},
     {"left_out", "yes or no", "ranks compute, but the scale is 0", &Computed::is_left_out},
     {"gain_at_most", "share or null", "if left out, the most of the whole run time that a mapping can save",
      [](auto& c) { return c.runtime && c.is_left_out() ? Json(c.gain_at_most(*c.runtime)) : Json(); }}}};

const Object<workloads::TrainingMemory> training_memory_object{
    "training memory",
    {{"weights", "bytes", "as they are multiplied, gathered ones too", &workloads::TrainingMemory::weights},
     {"optimizer", "bytes", "its state, weights in full precision included", &workloads::TrainingMemory::optimizer},
     {"gradients", "bytes", "of all weights", &workloads::TrainingMemory::gradients},
     {"activations", "bytes", "kept for the backward pass", &workloads::TrainingMemory::activations}}};

struct ToldTraining : workloads::TrainingWork {
  std::optional<TrainingRate> rate;
  double peak, reached;  ///< flop/s of a core; 0 if timed
  double has;            ///< bytes of memory of a core; 0: nobody says
};

const Object<ToldTraining> training_object{
    "training",
    {{"tokens", "number", "of all steps", &ToldTraining::tokens},
     {"model_flops", "number", "operations for them, without those computed again", &ToldTraining::flops},
     {"attention", "text", "how it is counted: full, or its causal half",
      [](auto& t) { return std::string(t.attention); }},
     {"layers", "count", "that are trained", &ToldTraining::layers},
     {"published_layers", "count", "of the model by that name", &ToldTraining::published},
     {"tokens_per_second", "number or null", "null if computation is left out",
      [](auto& t) { return t.rate ? Json(t.rate->tokens_per_second) : Json(); }},
     {"mfu", "share or null", "of the published peak of all ranks; null if computation is left out",
      [](auto& t) { return t.rate ? Json(t.rate->mfu) : Json(); }},
     {"peak", "number or null", "flops of a core in a second, as published; null if timed",
      [](auto& t) { return t.peak > 0 ? Json(t.peak) : Json(); }},
     {"of_peak", "share or null", "at which computation runs",
      [](auto& t) { return t.peak > 0 ? Json(t.reached / t.peak) : Json(); }},
     {"memory", "training memory", "bytes that the rank keeps that has most",
      [](auto& t) { return training_memory_object(t.memory); }},
     {"memory_of_node", "bytes or null", "of a core of the machine; null if nobody says",
      [](auto& t) { return t.has > 0 ? Json(t.has) : Json(); }},
     {"fits", "yes or no or null", "whether that is enough; null if nobody says",
      [](auto& t) { return t.has > 0 ? Json(t.memory.total() <= t.has) : Json(); }}}};

const Object<CollectiveUse> collective_object{
    "collective",
    {{"collective", "text", "what the program called",
      [](auto& use) { return to_string(workloads::collective_algorithms()[use.algorithm].kind); }},
     {"algorithm", "text", "the algorithm that ran",
      [](auto& use) { return workloads::collective_algorithms()[use.algorithm].name; }},
     {"ports", "count", "parts of the data; 0: the algorithm's own number", [](auto& use) { return use.tuning.ports; }},
     {"segment", "bytes", "of a message; 0: it is not cut", [](auto& use) { return use.tuning.segment; }},
     {"grid", "text or null", "of the members, such as 4x4, if the algorithm uses it",
      [](auto& use) {
        const auto grid = grid_in_words(use);
        return grid.empty() ? Json() : Json(grid);
      }},
     {"calls", "count", "one for all ranks of a communicator", &CollectiveUse::calls}}};

struct ToldStep : CriticalStep {
  template <class Value>
  Json of_message(Value CriticalStep::*value) const {
    return is_message ? Json(this->*value) : Json();
  }
};

const Object<ToldStep> step_object{
    "step",
    {{"kind", "text", "compute (or sleep), or message", [](auto& s) { return s.is_message ? "message" : "compute"; }},
     {"rank", "count", "the rank that computes, or the sender", &ToldStep::rank},
     {"receiver", "count or null", "of a message", [](auto& s) { return s.of_message(&ToldStep::receiver); }},
     {"bytes", "bytes or null", "of a message", [](auto& s) { return s.of_message(&ToldStep::bytes); }},
     {"collective", "text or null", "that a message is of, or that a rank sums or copies in",
      [](auto& s) { return s.collective ? Json(to_string(*s.collective)) : Json(); }},
     {"operation", "count", "its number at that rank, from 0", &ToldStep::operation},
     {"begin_s", "seconds", "of a message, its launch", &ToldStep::begin},
     {"end_s", "seconds", "of a message, its arrival", &ToldStep::end},
     {"latency_s", "seconds or null", "of a message", [](auto& s) { return s.of_message(&ToldStep::latency); }},
     {"bandwidth_s", "seconds or null", "of a message: bytes at full speed",
      [](auto& s) { return s.of_message(&ToldStep::bandwidth); }},
     {"sharing_s", "seconds or null", "of a message: what others added",
      [](auto& s) { return s.of_message(&ToldStep::sharing); }}}};

/// How long a rank was blocked, on average.
struct Exposed : Blocked {
  std::string purpose;
};

const Object<Exposed> exposed_object{
    "exposed",
    {{"purpose", "text or null", "of the communicator; null for messages without one",
      [](auto& b) { return b.purpose.empty() ? Json() : Json(b.purpose); }},
     {"transfer_s", "seconds", "mean over ranks: blocked by a message on its way; what ends a wait has it all",
      &Exposed::transfer},
     {"wait_s", "seconds", "mean over ranks: blocked before that message set off", &Exposed::wait}}};

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

Json metric_json(const MetricValue& value) {
  return std::visit([](auto of_its_type) { return Json(of_its_type); }, value);
}

Json traffic_json(const SentMessages& sent) {
  return traffic_object(sent);
}

Json loads_json(const LinkLoads& loads) {
  return loads_object(loads);
}

Json critical_path_json(const History& history, double runtime) {
  return critical_path_object({history, runtime});
}

Json computation_json(const ComputationUse& use, std::optional<double> runtime) {
  return computation_object({use, runtime});
}

Json training_json(const std::optional<workloads::TrainingWork>& work, const ComputationUse& use, std::int32_t ranks,
                   double runtime_s) {
  if (!work) return {};
  const auto peak = use.core_speed ? use.node.peak_speed() : 0;
  return training_object(
      {*work, training_rate(*work, use, ranks, runtime_s), peak, use.core_speed.value_or(0), use.memory_of_core()});
}

std::string collectives_in_words(const std::vector<CollectiveUse>& uses) {
  std::vector<std::string> parts;
  for (const auto& use : uses) {
    const auto& algorithm = workloads::collective_algorithms()[use.algorithm];
    const auto grid = grid_in_words(use);
    parts.push_back(fmt::format("{} by {}{}{}{}", to_string(algorithm.kind), algorithm.name, use.tuning.text(),
                                grid.empty() ? "" : " of ", grid));
  }
  return core::join(parts);
}

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
