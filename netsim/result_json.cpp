#include "netsim/result_json.hpp"

#include <array>

#include "core/json.hpp"
#include "core/text.hpp"
#include "platforms/document.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::netsim {

using core::Json;
using core::Object;

namespace {

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

const auto traffic_object = metrics_object<SentMessages>("traffic");
const auto loads_object = metrics_object<LinkLoads>("loads");

const Object<CollectiveUse> collective_object{
    "collective",
    {{"collective", "text", "what the program called",
      [](auto& use) { return to_string(workloads::collective_algorithms()[use.algorithm].kind); }},
     {"algorithm", "text", "the algorithm that ran",
      [](auto& use) { return workloads::collective_algorithms()[use.algorithm].name; }},
     {"grid", "text or null", "of the members, 4x4, if the algorithm uses it",
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
     {"collective", "text or null", "the collective that a message is of: allreduce",
      [](auto& s) { return s.collective ? Json(to_string(*s.collective)) : Json(); }},
     {"operation", "count", "the number of the operation of rank, from 0", &ToldStep::operation},
     {"begin_s", "seconds", "since the start of the run; of a message, its launch", &ToldStep::begin},
     {"end_s", "seconds", "since the start of the run; of a message, its arrival", &ToldStep::end},
     {"latency_s", "seconds or null", "the part of a message's time that is latency",
      [](auto& s) { return s.of_message(&ToldStep::latency); }},
     {"bandwidth_s", "seconds or null", "the part of a message's time that is bytes at full speed",
      [](auto& s) { return s.of_message(&ToldStep::bandwidth); }},
     {"sharing_s", "seconds or null", "the part of a message's time that other messages added",
      [](auto& s) { return s.of_message(&ToldStep::sharing); }}}};

/// What a time was taken for.
struct TimeParts : History {
  double whole = 0;  ///< seconds
  Json steps = core::absent();
};

const Object<TimeParts> critical_path_object{
    "critical path",
    {{"compute_s", "seconds", "computing and sleeping", &TimeParts::compute},
     {"latency_s", "seconds", "latencies of messages", &TimeParts::latency},
     {"bandwidth_s", "seconds",
      "bytes at full speed: what the messages of their sender would take if no other rank sent any",
      &TimeParts::bandwidth},
     {"sharing_s", "seconds",
      "what other messages added: ahead on the same pair of nodes or the same card (--order), or beside them on the "
      "same links; and what slower links cost after an event",
      &TimeParts::sharing},
     {"sharing_others_s", "seconds", "the part of sharing_s that is due to other jobs; 0 for one job",
      &TimeParts::others},
     {"compute_share", "share", "compute_s over the run time", [](auto& t) { return share(t.compute, t.whole); }},
     {"latency_share", "share", "latency_s over the run time", [](auto& t) { return share(t.latency, t.whole); }},
     {"bandwidth_share", "share", "bandwidth_s over the run time", [](auto& t) { return share(t.bandwidth, t.whole); }},
     {"sharing_share", "share", "sharing_s over the run time", [](auto& t) { return share(t.sharing, t.whole); }},
     {"sharing_others_share", "share", "sharing_others_s over the run time",
      [](auto& t) { return share(t.others, t.whole); }},
     {"steps", "list of step", "only with --critical-path-csv: the path in the order of time, without gaps",
      &TimeParts::steps}}};

/// How long a rank was blocked, on average.
struct Exposed : Blocked {
  std::string purpose;
};

const Object<Exposed> exposed_object{
    "exposed",
    {{"purpose", "text or null", "what the communicator is for: tensor, data, pipeline; null for messages without one",
      [](auto& b) { return b.purpose.empty() ? Json() : Json(b.purpose); }},
     {"transfer_s", "seconds", "of a rank, on average: blocked by a message on its way; what ends a wait has it all",
      &Exposed::transfer},
     {"wait_s", "seconds", "of a rank, on average: blocked before that message set off", &Exposed::wait}}};

struct RankRow : RankReport {
  std::size_t rank;
};

const Object<RankRow> rank_object{
    "rank",
    {{"rank", "count", "the rank", &RankRow::rank},
     {"node", "count", "its node", &RankRow::node},
     {"compute_s", "seconds", "computing or sleeping", &RankRow::compute},
     {"transfer_s", "seconds",
      "blocked while the message that the rank waited for was on its way; of several, the last", &RankRow::transfer},
     {"wait_s", "seconds", "blocked before that message set off: waiting for another rank", &RankRow::wait},
     {"finish_s", "seconds", "when the rank finished: the sum of these three times", &RankRow::finish},
     {"messages", "count", "that the rank sent, including collectives and messages to itself", &RankRow::messages},
     {"bytes", "bytes", "that the rank sent", &RankRow::bytes}}};

struct UsedLink : LinkResult {
  platforms::PlacedLink placed;
  bool peaks;
  Json bytes_by_job;
};

const Object<UsedLink> link_object{
    "link",
    {{"link", "count", "its number", [](auto& l) { return l.placed.link; }},
     {"name", "text", "its name, which options take", [](auto& l) { return l.placed.name; }},
     {"bytes", "bytes", "carried, envelopes included", &UsedLink::bytes},
     {"messages", "count", "carried; messages without bytes occupy no link, and are counted by the engine packet only",
      &UsedLink::flows},
     {"busy_s", "seconds", "with at least one message on the link", &UsedLink::busy},
     {"mean_utilization", "share",
      "bytes, of what the link could have carried in the run, at the bandwidths that it had; no more once it failed",
      &UsedLink::mean_utilization},
     {"peak_utilization", "share or null",
      "the highest utilization in one window, never below the mean; null with --windows 0",
      [](auto& l) { return l.peaks ? Json(l.peak_utilization) : Json(); }},
     {"peak_flows", "count", "most messages on the link at one time", &UsedLink::peak_flows},
     {"...", "fields of link facts", "what the link is",
      [](auto& l) { return platforms::link_facts_object()(l.placed); }},
     {"bytes_by_job", "bytes by name or null", "only with several jobs: of each job that the link carried anything for",
      &UsedLink::bytes_by_job}}};

const Object<RepeatedIterations> repetition_object{
    "repetition",
    {{"kind", "text",
      "exact (what is told of them is what simulating them would have told), or sampled (it is an estimate)",
      [](auto& r) { return r.is_sampled() ? "sampled" : "exact"; }},
     {"first_iteration", "count", "the first that was passed over, counted from 1 as in the trace",
      &RepeatedIterations::first},
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
    {{"wanted", "share", "the half width of the interval that was asked for, as a share of the run time",
      &ToldSample::wanted},
     {"iterations", "count", "of the program; 0 if none were found", &ToldSample::iterations},
     {"left_out", "count", "of these; 0 if all were simulated, and then no field of the result is an estimate",
      &ToldSample::left_out},
     {"warm_up", "count or null", "iterations before they were steady",
      [](auto& s) { return s.of_estimate(s.warm_up); }},
     {"clusters", "count or null", "of successive iterations, whose means are the sample",
      [](auto& s) { return s.of_estimate(s.clusters); }},
     {"runtime_half_width_s", "seconds or null",
      "the run time is known to so much either way, at 95 % confidence; null if all was simulated",
      [](auto& s) { return s.of_estimate(s.half_width); }},
     {"runtime_half_width", "share or null", "the same over the run time",
      [](auto& s) { return s.of_estimate(share(s.half_width, s.runtime)); }},
     {"whole_because", "text or null", "why all iterations were simulated; null if they were not",
      [](auto& s) { return s.is_estimate() ? Json() : Json(s.why_whole); }}}};

using workloads::ComputationVariation;

const Object<ComputationVariation> mean_computation_object{
    "mean computation",
    {{"iterations", "count", "of the rank that has most of them; 0 if none were found, and nothing is averaged",
      &ComputationVariation::iterations},
     {"ranks", "count", "that have iterations", &ComputationVariation::ranks},
     {"share", "share", "of all computation, what ranks compute in iterations", &ComputationVariation::share},
     {"between_operations", "number",
      "what a rank computes between two successive operations: its standard deviation from iteration to iteration "
      "over its mean; mean over all ranks and operations, weighted by how much is computed",
      &ComputationVariation::between_operations},
     {"of_iterations", "number", "the same of what a rank computes in an iteration",
      &ComputationVariation::of_iterations},
     {"of_worst_rank", "number", "the same of the rank for which it is largest", &ComputationVariation::of_worst_rank},
     {"hidden", "share or null",
      "by how much longer the slowest ranks of all iterations compute in sum, as recorded, than the slowest rank by "
      "means: what means hide where ranks wait for each other in each iteration; null if ranks do not have equally "
      "many iterations",
      &ComputationVariation::hidden}}};

struct Computed : ComputationUse {
  std::optional<double> runtime;  ///< of the run
};

const Object<Computed> computation_object{
    "computation",
    {{"kind", "text", "modelled, timed (nanoseconds that were measured) or counted (instructions)",
      [](auto& c) {
        return std::array{"modelled", "timed", "counted"}[static_cast<std::size_t>(c.kind)];
      }},
     {"scale", "number", "what all of it was multiplied with: 0 for --compute none, 1 for trace", &Computed::scale},
     {"core_speed", "number or null", "flops (or instructions) that a core computes in a second; null if timed",
      &Computed::core_speed},
     {"busiest_rank_s", "seconds",
      "what the rank that computes longest takes for it, by --compute trace, sleep included",
      &Computed::busiest_rank_s},
     {"all_ranks_s", "seconds", "the same summed over all ranks", &Computed::all_ranks_s},
     {"mean", "mean computation or null", "with --compute mean, what is averaged; else null",
      [](auto& c) { return c.variation ? mean_computation_object(*c.variation) : Json(); }},
     {"left_out", "yes or no", "whether ranks compute, but the scale is 0: run times are those of communication",
      &Computed::is_left_out},
     {"gain_at_most", "share or null",
      "if left out, the largest share of the run time with computation that a mapping can save",
      [](auto& c) { return c.runtime && c.is_left_out() ? Json(c.gain_at_most(*c.runtime)) : Json(); }}}};

struct ToldTraining : workloads::TrainingWork {
  std::optional<TrainingRate> rate;
};

const Object<ToldTraining> training_object{
    "training",
    {{"tokens", "number", "of all steps", &ToldTraining::tokens},
     {"model_flops", "number", "operations that the model takes for them, without what is computed again",
      &ToldTraining::flops},
     {"tokens_per_second", "number or null", "null if computation is left out",
      [](auto& t) { return t.rate ? Json(t.rate->tokens_per_second) : Json(); }},
     {"mfu", "share or null", "model flops utilization: of the peak of all ranks; null if computation is left out",
      [](auto& t) { return t.rate ? Json(t.rate->mfu) : Json(); }}}};

struct ToldProfile : Profile {
  double read, map;
};

const Object<ToldProfile> profile_fields{
    "profile",
    {{"replay_s", "seconds", "decoding, matching, collectives", &ToldProfile::clients},
     {"solver_s", "seconds", "computing rates; 0 for simgrid, which does not tell", &ToldProfile::solver},
     {"repeats_s", "seconds", "looking for iterations that repeat, and passing over them", &ToldProfile::repeats},
     {"events_s", "seconds", "all else of the simulation",
      [](auto& p) { return p.total - p.clients - p.solver - p.repeats; }},
     {"read_s", "seconds", "reading the trace", &ToldProfile::read},
     {"map_s", "seconds", "mapping", &ToldProfile::map}}};

struct ToldRun {
  const Machine& machine;
  const Result& result;
  const ToldOfRun& told;

  Json links(const std::vector<LinkResult>& some) const {
    return links_json(machine, some, result.utilization_window.has_value());
  }
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
  Json training() const {
    return training_json(told.training, *told.computation, static_cast<std::int32_t>(result.ranks.size()),
                         result.runtime);
  }
};

const Object<ToldRun> run_object{
    "run",
    {core::version_field<ToldRun>(),
     {"runtime_s", "seconds",
      "predicted run time, until the last rank has finished; a communication time if computation is left_out",
      [](auto& r) { return r.result.runtime; }},
     {"...", "fields of traffic", "what the program sent", [](auto& r) { return traffic_json(r.result); }},
     {"...", "fields of loads", "what links carried", [](auto& r) { return loads_json(r.result.loads); }},
     {"collectives", "list of collective", "which algorithms ran",
      [](auto& r) { return collective_object.list(r.result.collectives); }},
     {"critical_path", "critical path", "what the run time is made of", &ToldRun::critical_path},
     {"exposed", "list of exposed",
      "what ranks wait for, by purpose, if the program says what its communicators are for", &ToldRun::exposed},
     {"bottleneck_links", "list of link", "up to 10 links with the highest mean utilization, the highest first",
      [](auto& r) { return r.told.bottlenecks ? r.links(r.result.bottlenecks()) : core::absent(); }},
     {"ranks", "list of rank", "every rank, in order",
      [](auto& r) { return r.told.ranks ? ranks_json(r.result.ranks) : core::absent(); }},
     {"utilization_window_s", "seconds or null", "length of the windows of peak_utilization; null with --windows 0",
      [](auto& r) { return r.result.utilization_window; }},
     {"links", "list of link", "every link that carried anything, in the order of their numbers",
      [](auto& r) { return r.told.links ? r.links(r.result.links) : core::absent(); }},
     {"repeated", "list of repetition",
      "iterations that were not simulated, because they repeat earlier iterations or are left out of a sample; all "
      "other fields count them",
      [](auto& r) { return repetition_object.list(r.result.repeated); }},
     {"sampled", "sample of iterations or null",
      "with --repeats sample, unless iterations repeat exactly: how the run time is estimated, and its interval",
      [](auto& r) {
        return r.result.sampled ? sample_object({*r.result.sampled, r.result.runtime}) : Json();
      }},
     {"profile", "profile", "only with --profile: where the simulation spent real time; differs from run to run",
      [](auto& r) {
        return r.result.profile ? profile_fields({*r.result.profile, r.told.read_s, r.told.map_s}) : core::absent();
      }},
     {"computation", "computation", "what ranks compute",
      [](auto& r) {
        return r.told.computation ? computation_json(*r.told.computation, r.result.runtime) : core::absent();
      }},
     {"training", "training or null", "of a program that trains a language model; null for others",
      [](auto& r) { return r.told.computation ? r.training() : core::absent(); }},
     {"notes", "list of text", "only if there are some: what the mapper says of its work, a line each",
      [](auto& r) { return core::unless_empty(r.told.notes); }},
     {"remarks", "list of text", "only if there are some: what to know of the engine on that machine, a line each",
      [](auto& r) { return core::unless_empty(r.told.remarks); }},
     {"events", "list of event", "only with --at, in the order of the options", [](auto& r) { return r.told.events; }},
     {"verification", "verification", "only with --verify: the same run by another engine",
      [](auto& r) { return r.told.verification; }},
     {"uncertainty", "uncertainty", "only with --uncertainty: the same run on machines that are drawn",
      [](auto& r) { return r.told.uncertainty; }},
     {"explanation", "explanation", "only with --explain: why the run takes its time",
      [](auto& r) { return r.told.explanation; }},
     core::field<ToldRun>(core::manifest_text, [](auto& r) { return r.told.manifest; })}};

}  // namespace

Json ranks_json(const core::IdVector<workloads::Rank, RankReport>& ranks) {
  Json all = Json::array();
  for (const auto& rank : ranks) all.push_back(rank_object({rank, all.size()}));
  return all;
}

Json links_json(const Machine& machine, const std::vector<LinkResult>& links, bool peaks,
                const std::function<Json(platforms::LinkId)>& bytes_by_job) {
  Json all = Json::array();
  for (const auto& link : links)
    all.push_back(link_object({link,
                               {platforms::link_facts(machine, link.link), machine},
                               peaks,
                               bytes_by_job ? bytes_by_job(link.link) : core::absent()}));
  return all;
}

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

std::string grid_in_words(const CollectiveUse& use) {
  std::vector<std::string> extents;
  for (const auto extent : use.grid)
    if (extent > 0) extents.push_back(std::to_string(extent));
  return core::join(extents, "x");
}

Json result_json(const Machine& machine, const Result& result, const ToldOfRun& told) {
  return run_object({machine, result, told});
}

Json computation_json(const ComputationUse& use, std::optional<double> runtime) {
  return computation_object({use, runtime});
}

Json training_json(const std::optional<workloads::TrainingWork>& work, const ComputationUse& use, std::int32_t ranks,
                   double runtime_s) {
  return work ? training_object({*work, training_rate(*work, use, ranks, runtime_s)}) : Json();
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
  return {run_object,           traffic_object,
          loads_object,         collective_object,
          critical_path_object, step_object,
          exposed_object,       rank_object,
          link_object,          platforms::link_facts_object(),
          repetition_object,    sample_object,
          computation_object,   mean_computation_object,
          training_object};
}

core::ObjectText profile_object() {
  return profile_fields;
}

}  // namespace toroid::netsim
