// The fields of the advice on a program, of the advice on slices and layouts, and of explanations, and how they are
// taken from these.

#include "study/advice/advice.hpp"
#include "study/advice/explanation.hpp"
#include "study/advice/slice_layouts.hpp"
#include "study/documents/fields.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::study {

using core::absent;
using platforms::LinkId;

namespace {

struct ToldAdvice {
  const Advice& advice;
  const AdviceRequest& request;
};

struct ToldMapper {
  const Tried& tried;
  std::uint64_t first_seed;
};

/// A figure of the runs of a mapper; absent if none succeeded.
template <class Figure>
auto of_runs(Figure figure) {
  return [figure](const ToldMapper& m) { return m.tried.times.empty() ? absent() : Json(figure(m)); };
}

const Object<ToldMapper> tried_object{
    "tried",
    {{"map", "text", "the mapper", [](auto& m) { return m.tried.map.text(); }},
     {"runs", "count", "that succeeded", [](auto& m) { return m.tried.times.size(); }},
     {"runtime_s", "seconds", "that stands for the mapper: the least, of a baseline the median",
      of_runs([](auto& m) { return m.tried.time; })},
     {"runtime_min_s", "seconds", "of its runs", of_runs([](auto& m) { return m.tried.best(); })},
     {"runtime_max_s", "seconds", "of its runs", of_runs([](auto& m) { return m.tried.worst(); })},
     {"seed", "count", "of the run that stands for the mapper",
      of_runs([](auto& m) { return m.first_seed + m.tried.search; })},
     {"notes", "list of text", "of that search", [](auto& m) { return core::unless_empty(m.tried.notes); }},
     {"error", "text", "if a search failed", [](auto& m) { return core::unless_empty(m.tried.error); }}}};

struct ToldLook {
  const Advice& advice;
  const SecondLook& look;

  /// Absent where there are no such runs.
  Json unless_left_out(double figure) const { return look.left_out.empty() ? Json(figure) : absent(); }
};

const Object<ToldLook> look_object{
    "look",
    {{"kind", "text",
      "computation (with that left out), communication (without that counted), engine (another one) or reference",
      [](auto& l) {
        static constexpr const char* kinds[] = {"computation", "communication", "engine", "reference"};
        return kinds[static_cast<std::size_t>(l.look.kind)];
      }},
     {"engine", "text", "that ran both", [](auto& l) { return l.look.engine; }},
     {"map", "text", "beside the baseline: the advised one, or of communication the fastest other one",
      [](auto& l) { return l.advice.tried[l.look.map].map.text(); }},
     {"baseline_s", "seconds", "of the baseline", [](auto& l) { return l.unless_left_out(l.look.baseline); }},
     {"advised_s", "seconds", "of that mapping", [](auto& l) { return l.unless_left_out(l.look.advised); }},
     {"gain", "number", "their ratio", [](auto& l) { return l.unless_left_out(l.look.gain()); }},
     {"left_out", "text", "why there are no such runs", [](auto& l) { return core::unless_empty(l.look.left_out); }}}};

Json losses_json(const Limits& limits) {
  Json losses = Json::object();
  for (const auto& loss : limits.losses) losses[loss.links] = loss.seconds;
  return losses;
}

/// A figure of the limits; absent without limits.
template <class Figure>
auto of_limits(Figure figure) {
  return [figure](const Advice& advice) { return advice.limits ? Json(figure(*advice.limits)) : absent(); };
}

const Object<Advice> limits_object{
    "limits",
    {{"...", "fields of measures", "of the advised run",
      of_limits([](const Limits& limits) { return measures_json(limits.measures); })},
     {"waiting_for_partners", "share", "of the time, on average over the ranks",
      of_limits([](const Limits& limits) { return limits.waiting_for_partners; })},
     {"losses_s", "seconds by name",
      "of the critical path to other messages, by dimension, injection, ejection, and cores of receivers",
      of_limits(losses_json)},
     {"with_computation", "measures", "with the computation that is left out",
      of_limits([](const Limits& limits) { return measures_json(limits.whole); })},
     {"left_out", "text", "why there is no such run", [](auto& a) { return core::unless_empty(a.no_limits); }}}};

const Object<Effect> change_object{
    "machine change",
    {{"set", "text", "what to give behind --set", [](auto& effect) { return effect.change.text(); }},
     {"runtime_s", "seconds or null", "of the advised mapping there; null where the machine cannot have it",
      &Effect::time},
     {"with_computation_s", "seconds or null", "with the computation that is left out", &Effect::whole}}};

const Object<AlgorithmsTried> algorithms_object{
    "tried collectives",
    {{"collectives", "text", "what to give behind --collectives", [](auto& one) { return one.choice.text(); }},
     {"algorithms", "text", "that ran then; empty if the run failed", &AlgorithmsTried::algorithms},
     {"runtime_s", "seconds or null", "of the advised mapping, by fluid", &AlgorithmsTried::time}}};

const Object<ToldAdvice> advice_object{
    "program advice",
    {{"trace", "text", "the program", {}},
     {"error", "text", "why the program cannot run; nothing else is there then", {}},
     {"advised", "text", "the mapper, with its budget; the baseline where nothing is faster by 1 %",
      [](auto& a) { return a.advice.taken().map.text(); }},
     {"seed", "count", "of its search", [](auto& a) { return a.request.seed + a.advice.taken().search; }},
     {"gain", "number", "run time of the baseline over that of the advice, by fluid",
      [](auto& a) { return a.advice.gain(); }},
     {"messages", "yes or no", "ranks send each other any; else nothing is asked",
      [](auto& a) { return !a.advice.is_idle; }},
     {"computation", "computation", "of the baseline",
      [](auto& a) { return netsim::computation_json(a.advice.computation, a.advice.without().time); }},
     {"tried", "list of tried", "the baseline, random, then the mappers of --map",
      [](auto& a) {
        return array_of(a.advice.tried, [&](const Tried& tried) { return tried_object({tried, a.request.seed}); });
      }},
     {"looks", "list of look", "both mappings run in another way",
      [](auto& a) {
        return array_of(a.advice.looks, [&](const SecondLook& look) { return look_object({a.advice, look}); });
      }},
     {"limits", "limits", "what limits the advised run", [](auto& a) { return limits_object(a.advice); }},
     {"changes", "list of machine change", "changes of the machine, as --set takes them",
      [](auto& a) { return change_object.list(a.advice.effects); }},
     {"algorithms", "list of tried collectives",
      "only of programs with collectives: as the program has them, then others",
      [](auto& a) { return core::unless_empty(algorithms_object.list(a.advice.algorithms.tried)); }},
     {"advised_algorithms", "count", "only then: position of those to take, 0 unless others gain 1 %",
      [](auto& a) { return a.advice.algorithms.tried.empty() ? absent() : Json(a.advice.algorithms.taken); }},
     {"algorithms_by_packets_s", "list of seconds", "only where others are advised: run times of both by packet",
      [](auto& a) {
        const auto& both = a.advice.algorithms.by_packets;
        return both ? Json{both->first, both->second} : absent();
      }},
     {"no_algorithms", "text", "why no others were tried",
      [](auto& a) { return core::unless_empty(a.advice.algorithms.left_out); }},
     {"remarks", "list of text", "on the engines that were asked", [](auto& a) { return a.advice.remarks; }},
     {"needed_budget", "seconds", "about, at which nothing is left out",
      [](auto& a) { return a.advice.needed_budget; }},
     {"mapping", "list of count", "the node of each rank", [](auto& a) { return a.advice.taken().mapping; }},
     {"no_changes", "text", "why none were asked", [](auto& a) { return core::unless_empty(a.advice.no_effects); }}}};

// Slices and layouts

const Object<SliceLayout> slice_layout_object{
    "slice layout",
    {{"machine", "text", "the slice", &SliceLayout::machine},
     {"program", "text", "the training with its layout", &SliceLayout::program},
     {"chips", "count", "of the slice", &SliceLayout::chips},
     {"data", "count", "sets of ranks that keep all weights together", &SliceLayout::data},
     {"fsdp", "count", "ranks that share weights", &SliceLayout::fsdp},
     {"tensor", "count", "ranks that share matrices", &SliceLayout::tensor},
     {"sequences", "count", "of a step and tensor group", &SliceLayout::group_batch},
     {"micro_batches", "count", "the fewest that fit into memory", &SliceLayout::micro_batches},
     {"memory", "bytes", "of a device", [](auto& one) { return one.work.memory.total(); }},
     {"step_s", "seconds", "as compilers are taken to hide messages", &SliceLayout::step},
     {"low_s", "seconds", "the least that is likely", [](auto& one) { return one.interval().first; }},
     {"high_s", "seconds", "the most that is likely", [](auto& one) { return one.interval().second; }},
     {"hidden_s", "seconds", "with all messages hidden, at the efficiency that fits measured trainings then",
      &SliceLayout::hidden},
     {"exposed_s", "seconds", "with none hidden, likewise", &SliceLayout::exposed},
     {"efficiency", "number or null", "of the peak that measured trainings reach; null: nobody measured one",
      [](auto& one) { return one.efficiency.is_measured() ? Json(one.efficiency.best) : Json(); }},
     {"compute_s", "seconds", "of the step", [](auto& one) { return one.at_peak / one.efficiency.best; }},
     {"tokens_per_second", "number", "by the step", &SliceLayout::tokens_per_second},
     {"tokens_per_second_and_chip", "number", "by the step",
      [](auto& one) { return one.tokens_per_second() / one.chips; }},
     {"mfu", "share", "of the published peak, by the step", &SliceLayout::mfu},
     {"collectives_s", "seconds by name", "of all collectives, by purpose", &SliceLayout::collectives},
     {"waits_s", "seconds by name", "of those that the step waits for", &SliceLayout::waits}}};

const Object<std::vector<SliceAdvice>> slice_advice_object{
    "slice advice",
    {core::field<std::vector<SliceAdvice>>(core::version_text, {}),
     {"layouts", "list of slice layout", "that are ties in their generation, the most tokens a second and chip first",
      [](auto& all) {
        std::vector<const SliceLayout*> kept;
        for (const auto& advice : all)
          for (const auto& one : advice.kept) kept.push_back(&one);
        std::ranges::stable_sort(kept, std::greater(), [](auto* one) { return one->tokens_per_second() / one->chips; });
        auto list = Json::array();
        for (const auto* one : kept) list.push_back(slice_layout_object(*one));
        return list;
      }},
     {"slower", "count", "layouts that another of their generation beats at both bounds",
      [](auto& all) {
        std::size_t sum = 0;
        for (const auto& advice : all) sum += advice.losers;
        return sum;
      }},
     {"too_large", "count", "of layouts that do not fit into memory",
      [](auto& all) {
        std::size_t sum = 0;
        for (const auto& advice : all) sum += advice.too_large.size();
        return sum;
      }},
     core::field<std::vector<SliceAdvice>>(core::manifest_text, {})}};

struct ToldExplanation {
  const Explanation& e;
  const netsim::Machine& machine;
  const netsim::Result& result;
  const std::vector<std::string>& jobs;
};

template <class Part>
struct Explained : Part {
  const ToldExplanation& in;

  Json share(double seconds) const { return netsim::share(seconds, in.e.runtime); }
};

template <class Part>
Json parts_json(const Object<Explained<Part>>& object, const ToldExplanation& in, const std::vector<Part>& parts) {
  return array_of(parts, [&](const Part& part) { return object({part, in}); });
}

const Object<Explained<Cause>> cause_object{
    "cause",
    {{"cause", "text",
      "compute, latency, bandwidth, sharing within the job, sharing with other jobs (or with any job), waiting for "
      "cores",
      &Cause::name},
     {"seconds", "seconds", "of the run time", &Cause::seconds},
     {"share", "share", "of the run time", [](auto& c) { return c.share(c.seconds); }}}};

const Object<Explained<netsim::KindLoss>> loss_object{
    "loss",
    {{"links", "text", "a dimension, injection, ejection, or cores of receivers", &netsim::KindLoss::links},
     {"seconds", "seconds", "lost there, at the most used link of each route", &netsim::KindLoss::seconds},
     {"share", "share", "of the run time", [](auto& l) { return l.share(l.seconds); }}}};

const Object<Explained<InTheWay>> obstacle_object{
    "obstacle",
    {{"from", "count", "the rank that sends", &InTheWay::from},
     {"to", "count", "the rank that receives", &InTheWay::to},
     {"bytes", "bytes", "of these on the link meanwhile, if all travelled evenly", &InTheWay::bytes},
     {"job", "text", "only with several jobs: whose messages these are",
      [](auto& o) { return o.in.jobs.empty() ? absent() : Json(o.in.jobs[o.job]); }}}};

template <class Part>
core::Field<Explained<Part>> obstacles_field() {
  return {"in_the_way", "list of obstacle", "messages of other pairs of ranks, up to four pairs, the largest first",
          [](const Explained<Part>& part) { return parts_json(obstacle_object, part.in, part.in_the_way); }};
}

const Object<Explained<LinkCause>> link_object{
    "loss at link",
    {{"link", "text", "its name", [](auto& l) { return l.in.machine.link_name(l.link); }},
     {"lost_s", "seconds", "that the critical path lost there", &LinkCause::lost},
     {"share", "share", "of the run time", [](auto& l) { return l.share(l.lost); }},
     {"mean_utilization", "share", "of the link over the run", &LinkCause::mean_utilization},
     {"messages", "count", "of the critical path that lost time there", &LinkCause::messages},
     obstacles_field<LinkCause>()}};

/// The step of a part that is a single one; else null.
const netsim::CriticalStep* step_of(const Explained<ChainPart>& part) {
  return part.steps > 1 ? nullptr : &part.in.result.critical_steps[part.first];
}
/// The message of a part that is a single one; else null.
const netsim::CriticalStep* message_of(const Explained<ChainPart>& part) {
  const auto* step = step_of(part);
  return step != nullptr && step->is_message ? step : nullptr;
}
template <class Value>
Json value_of(const netsim::CriticalStep* step, Value value) {
  return step == nullptr ? Json() : Json(step->*value);
}

const Object<Explained<ChainPart>> chain_object{
    "chain part",
    {{"steps", "count", "of the critical path in it", &ChainPart::steps},
     {"messages", "count", "how many of the steps are messages", &ChainPart::messages},
     {"begin_s", "seconds", "since the start of the run", &ChainPart::begin},
     {"end_s", "seconds", "since the start of the run", &ChainPart::end},
     {"lost_s", "seconds", "to other messages", &ChainPart::lost},
     {"rank", "count or null", "of a single step: that computes or sends",
      [](auto& c) { return value_of(step_of(c), &netsim::CriticalStep::rank); }},
     {"receiver", "count or null", "of a single message",
      [](auto& c) { return value_of(message_of(c), &netsim::CriticalStep::receiver); }},
     {"bytes", "bytes or null", "of a single message",
      [](auto& c) { return value_of(message_of(c), &netsim::CriticalStep::bytes); }},
     {"link", "text or null", "where most of that time was lost",
      [](auto& c) { return c.link == LinkId::none() ? Json() : Json(c.in.machine.link_name(c.link)); }},
     obstacles_field<ChainPart>()}};

const Object<Explained<OtherJob>> other_job_object{
    "other job",
    {{"job", "text", "its name", [](auto& o) { return o.in.jobs[o.job]; }},
     {"saves_share", "share", "of its run time that the change saves; below 0: it takes longer", &OtherJob::saves}}};

const Object<Explained<Trial>> trial_object{
    "trial",
    {{"change", "text", "as options take it; also map=quick for a job, or without a job", &Trial::change},
     {"runtime_s", "seconds or null", "with the change; null where the machine cannot have it", &Trial::runtime},
     {"saves_s", "seconds or null", "how much less it takes",
      [](auto& t) { return t.runtime ? Json(t.in.e.runtime - *t.runtime) : Json(); }},
     {"others", "list of other job", "only with several jobs: whose run times change by 1 % or more",
      [](auto& t) { return t.in.jobs.empty() ? absent() : parts_json(other_job_object, t.in, t.others); }}}};

const Object<ToldExplanation> explanation_object{
    "explanation",
    {{"main_cause", "text", "the largest cause, and what it means", [](auto& t) { return t.e.main_cause; }},
     {"causes", "list of cause", "parts of the critical path; they add up to the run time",
      [](auto& t) { return parts_json(cause_object, t, t.e.causes); }},
     {"ranks", "list of cause",
      "mean run time of ranks: computing, waiting for messages on their way, waiting for a partner",
      [](auto& t) { return parts_json(cause_object, t, t.e.ranks); }},
     {"losses", "list of loss", "sharing of the critical path by dimension",
      [](auto& t) { return parts_json(loss_object, t, t.e.losses.kinds); }},
     {"links", "list of loss at link", "up to ten with the most of it",
      [](auto& t) { return parts_json(link_object, t, t.e.links); }},
     {"chain", "list of chain part", "the critical path in time: its five longest steps, and what lies between",
      [](auto& t) { return parts_json(chain_object, t, t.e.chain); }},
     {"trials", "list of trial",
      "the same run with one change each: of each dimension bandwidth doubled and latency halved, what advise tries, "
      "the mapper quick (of several jobs for one at a time), each other job left out",
      [](auto& t) { return parts_json(trial_object, t, t.e.trials); }},
     {"what_to_change", "list of text", "up to three lines: what saves most, and what less than 1 % of the run time",
      [](auto& t) { return t.e.what_to_change; }},
     {"no_trials", "text", "only where nothing was tried: why",
      [](auto& t) { return core::unless_empty(t.e.no_trials); }}}};

}  // namespace

Json advice_json(const Advice& advice, const AdviceRequest& request) {
  return advice_object({advice, request});
}

std::vector<core::ObjectText> advice_objects() {
  return {{"advice",
           {core::version_text, {"programs", "list of program advice", "one for each program"}, core::manifest_text}},
          advice_object,
          tried_object,
          look_object,
          limits_object,
          change_object,
          algorithms_object};
}

Json slice_advice_json(const std::vector<SliceAdvice>& all) {
  return slice_advice_object(all);
}

std::vector<core::ObjectText> slice_advice_objects() {
  return {slice_advice_object, slice_layout_object};
}

Json explanation_json(const Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                      const std::vector<std::string>& jobs) {
  return explanation_object({explanation, machine, result, jobs});
}

std::vector<core::ObjectText> explanation_objects() {
  return {explanation_object, cause_object,    loss_object,  link_object,
          chain_object,       obstacle_object, trial_object, other_job_object};
}

}  // namespace toroid::study
