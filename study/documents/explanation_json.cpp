// The fields of an explanation, and how they are taken from it.

#include "study/advice/explanation.hpp"
#include "study/documents/fields.hpp"

namespace toroid::study {

using core::absent;
using core::Json;
using core::Object;
using platforms::LinkId;

namespace {

struct ToldExplanation {
  const Explanation& e;
  const netsim::Machine& machine;
  const netsim::Result& result;
  const std::vector<std::string>& jobs;
};

/// A part of an explanation.
template <class Part>
struct Explained : Part {
  const ToldExplanation& in;

  Json share(double seconds) const { return netsim::share(seconds, in.e.runtime); }
};

/// A list of objects, each made of a part of the explanation.
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

Json explanation_json(const Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                      const std::vector<std::string>& jobs) {
  return explanation_object({explanation, machine, result, jobs});
}

std::vector<core::ObjectText> explanation_objects() {
  return {explanation_object, cause_object,    loss_object,  link_object,
          chain_object,       obstacle_object, trial_object, other_job_object};
}

}  // namespace toroid::study
