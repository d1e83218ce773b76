#include "netsim/result_json.hpp"

#include <array>
#include <utility>

#include "core/json.hpp"
#include "core/text.hpp"
#include "platforms/document.hpp"
#include "workloads/collectives/collectives.hpp"

namespace toroid::netsim {

using core::Json;
using core::object;

Json ranks_json(const core::IdVector<workloads::Rank, RankReport>& ranks) {
  Json all = Json::array();
  for (const auto& r : ranks)
    all.push_back(object({{"rank", all.size()},
                          {"node", r.node},
                          {"compute_s", r.compute},
                          {"transfer_s", r.transfer},
                          {"wait_s", r.wait},
                          {"finish_s", r.finish},
                          {"messages", r.messages},
                          {"bytes", r.bytes}}));
  return all;
}

Json links_json(const Machine& machine, const std::vector<LinkResult>& links, bool peaks) {
  Json all = Json::array();
  for (const auto& l : links) {
    const auto facts = platforms::link_facts(machine, l.link);
    Json row = object({{"link", l.link},
                       {"name", facts.name},
                       {"bytes", l.bytes},
                       {"messages", l.flows},
                       {"busy_s", l.busy},
                       {"mean_utilization", l.mean_utilization},
                       {"peak_utilization", peaks ? Json(l.peak_utilization) : Json()},
                       {"peak_flows", l.peak_flows}});
    platforms::add_link_facts(row, machine, facts);
    all.push_back(std::move(row));
  }
  return all;
}

Json metric_json(const MetricValue& value) {
  return std::visit([](auto of_its_type) { return Json(of_its_type); }, value);
}

namespace {

/// The metrics of messages, or those of links.
Json metrics_json(bool of_links, const SentMessages& sent, const LinkLoads& loads) {
  Json json = Json::object();
  core::reserve(json, metrics().size());
  for (const auto& metric : metrics())
    if (metric.is_of_links() == of_links) core::add(json, {{metric.name, metric_json(metric.of(sent, loads))}});
  return json;
}

}  // namespace

Json traffic_json(const SentMessages& sent) {
  return metrics_json(false, sent, {});
}

Json loads_json(const LinkLoads& loads) {
  return metrics_json(true, {}, loads);
}

Json critical_path_json(const History& h, double runtime) {
  return object({{"compute_s", h.compute},
                 {"latency_s", h.latency},
                 {"bandwidth_s", h.bandwidth},
                 {"sharing_s", h.sharing},
                 {"sharing_others_s", h.others},
                 {"compute_share", share(h.compute, runtime)},
                 {"latency_share", share(h.latency, runtime)},
                 {"bandwidth_share", share(h.bandwidth, runtime)},
                 {"sharing_share", share(h.sharing, runtime)},
                 {"sharing_others_share", share(h.others, runtime)}});
}

namespace {

Json step_json(const CriticalStep& step) {
  const auto of_message = [&](auto value) { return step.is_message ? Json(value) : Json(); };
  return object({{"kind", step.is_message ? "message" : "compute"},
                 {"rank", step.rank},
                 {"receiver", of_message(step.receiver)},
                 {"bytes", of_message(step.bytes)},
                 {"collective", step.collective ? Json(to_string(*step.collective)) : Json()},
                 {"operation", step.operation},
                 {"begin_s", step.begin},
                 {"end_s", step.end},
                 {"latency_s", of_message(step.latency)},
                 {"bandwidth_s", of_message(step.bandwidth)},
                 {"sharing_s", of_message(step.sharing)}});
}

}  // namespace

std::string grid_in_words(const CollectiveUse& use) {
  std::vector<std::string> extents;
  for (const auto extent : use.grid)
    if (extent > 0) extents.push_back(std::to_string(extent));
  return core::join(extents, "x");
}

namespace {

Json collectives_json(const std::vector<CollectiveUse>& uses) {
  Json all = Json::array();
  for (const auto& use : uses) {
    const auto& algorithm = workloads::collective_algorithms()[use.algorithm];
    const auto grid = grid_in_words(use);
    all.push_back(object({{"collective", to_string(algorithm.kind)},
                          {"algorithm", algorithm.name},
                          {"grid", grid.empty() ? Json() : Json(grid)},
                          {"calls", use.calls}}));
  }
  return all;
}

Json exposed_json(const ReplayReport& report) {
  Json all = Json::array();
  const auto ranks = static_cast<double>(report.ranks.size());
  for (const auto& [purpose, blocked] : report.exposed)
    all.push_back(object({{"purpose", purpose.empty() ? Json() : Json(purpose)},
                          {"transfer_s", blocked.transfer / ranks},
                          {"wait_s", blocked.wait / ranks}}));
  return all;
}

/// Null where nothing was to be sampled.
Json sampled_json(const ReplayReport& report) {
  if (!report.sampled) return {};
  const auto& s = *report.sampled;
  const bool is_whole = !s.is_estimate();
  const auto of_sample = [&](auto value) { return is_whole ? Json() : Json(value); };
  return object({{"wanted", s.wanted},
                 {"iterations", s.iterations},
                 {"left_out", s.left_out},
                 {"warm_up", of_sample(s.warm_up)},
                 {"clusters", of_sample(s.clusters)},
                 {"runtime_half_width_s", of_sample(s.half_width)},
                 {"runtime_half_width", of_sample(share(s.half_width, report.runtime))},
                 {"whole_because", is_whole ? Json(s.why_whole) : Json()}});
}

}  // namespace

Json result_json(const Machine& machine, const Result& r, ResultTables tables) {
  const bool peaks = r.utilization_window.has_value();
  constexpr std::size_t others = 50;  // here and in what commands add
  Json json = object({{"schema_version", core::schema_version}, {"runtime_s", r.runtime}}, others);
  core::append(json, traffic_json(r));
  core::append(json, loads_json(r.loads));
  json["collectives"] = collectives_json(r.collectives);
  json["critical_path"] = critical_path_json(r.critical_path, r.runtime);
  json["exposed"] = exposed_json(r);
  if (tables.bottlenecks) json["bottleneck_links"] = links_json(machine, r.bottlenecks(), peaks);
  if (tables.ranks) json["ranks"] = ranks_json(r.ranks);
  json["utilization_window_s"] = peaks ? Json(*r.utilization_window) : Json();
  if (tables.links) json["links"] = links_json(machine, r.links, peaks);
  json["repeated"] = Json::array();
  for (const auto& repeated : r.repeated)
    json["repeated"].push_back({{"kind", repeated.is_sampled() ? "sampled" : "exact"},
                                {"first_iteration", repeated.first},
                                {"iterations", repeated.count},
                                {"period", repeated.is_sampled() ? Json() : Json(repeated.period)},
                                {"messages", repeated.messages}});
  json["sampled"] = sampled_json(r);
  for (const auto& step : r.critical_steps) json["critical_path"]["steps"].push_back(step_json(step));
  if (const auto& p = r.profile)
    json["profile"] = {{"replay_s", p->clients},
                       {"solver_s", p->solver},
                       {"repeats_s", p->repeats},
                       {"events_s", p->total - p->clients - p->solver - p->repeats}};
  return json;
}

/// Null where computation is not to be averaged.
Json variation_json(const std::optional<workloads::ComputationVariation>& variation) {
  if (!variation) return {};
  return object({{"iterations", variation->iterations},
                 {"ranks", variation->ranks},
                 {"share", variation->share},
                 {"between_operations", variation->between_operations},
                 {"of_iterations", variation->of_iterations},
                 {"of_worst_rank", variation->of_worst_rank},
                 {"hidden", variation->hidden ? Json(*variation->hidden) : Json()}});
}

Json computation_json(const ComputationUse& use, std::optional<double> runtime) {
  constexpr std::array kinds{"modelled", "timed", "counted"};
  return object({{"kind", kinds[static_cast<std::size_t>(use.kind)]},
                 {"scale", use.scale},
                 {"core_speed", use.core_speed ? Json(*use.core_speed) : Json()},
                 {"busiest_rank_s", use.busiest_rank_s},
                 {"all_ranks_s", use.all_ranks_s},
                 {"mean", variation_json(use.variation)},
                 {"left_out", use.is_left_out()},
                 {"gain_at_most", runtime && use.is_left_out() ? Json(use.gain_at_most(*runtime)) : Json()}});
}

Json training_json(const std::optional<workloads::TrainingWork>& work, const ComputationUse& use, std::int32_t ranks,
                   double runtime_s) {
  if (!work) return {};
  const auto rate = training_rate(*work, use, ranks, runtime_s);
  return object({{"tokens", work->tokens},
                 {"model_flops", work->flops},
                 {"tokens_per_second", rate ? Json(rate->tokens_per_second) : Json()},
                 {"mfu", rate ? Json(rate->mfu) : Json()}});
}

void add_remarks(Json& result, const std::vector<std::string>& remarks) {
  if (!remarks.empty()) result["remarks"] = remarks;
}

Json settings_json(const std::vector<std::pair<std::string, std::string>>& engine_settings) {
  Json settings;
  for (const auto& [key, value] : engine_settings) settings[key] = value;
  return settings;
}

}  // namespace toroid::netsim
