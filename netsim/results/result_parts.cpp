#include "netsim/results/result_parts.hpp"

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

/// The grid of the members of the communicator, `4x4`; empty for algorithms that do not look at one.
std::string grid_in_words(const CollectiveUse& use) {
  std::vector<std::string> extents;
  for (const auto extent : use.grid)
    if (extent > 0) extents.push_back(std::to_string(extent));
  return core::join(extents, "x");
}

}  // namespace

const Object<SentMessages> traffic_object = metrics_object<SentMessages>("traffic");
const Object<LinkLoads> loads_object = metrics_object<LinkLoads>("loads");

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

const Object<Exposed> exposed_object{
    "exposed",
    {{"purpose", "text or null", "of the communicator; null for messages without one",
      [](auto& b) { return b.purpose.empty() ? Json() : Json(b.purpose); }},
     {"transfer_s", "seconds", "mean over ranks: blocked by a message on its way; what ends a wait has it all",
      &Exposed::transfer},
     {"wait_s", "seconds", "mean over ranks: blocked before that message set off", &Exposed::wait}}};

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

}  // namespace toroid::netsim
