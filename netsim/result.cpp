#include "netsim/result.hpp"

#include <algorithm>

namespace toroid::netsim {

using core::Json;
using platforms::LinkId;

namespace {

constexpr std::size_t bottlenecks_listed = 10;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

Json rank_json(std::size_t rank, const RankReport& r) {
  return {{"rank", rank},     {"node", r.node},       {"compute_s", r.compute}, {"transfer_s", r.transfer},
          {"wait_s", r.wait}, {"finish_s", r.finish}, {"messages", r.messages}, {"bytes", r.bytes}};
}

Json link_json(const Network& network, LinkId id, const LinkLoad& load, double runtime) {
  const auto& machine = network.machine();
  const double capacity = machine.link_bandwidth(id);
  return {{"link", id},
          {"name", machine.link_name(id)},
          {"bytes", load.bytes},
          {"messages", load.flows},
          {"busy_s", load.busy},
          {"mean_utilization", share(static_cast<double>(load.bytes), capacity * runtime)},
          {"peak_utilization", network.usage().windows() > 0 ? Json(load.peak_utilization) : Json()},
          {"peak_flows", load.peak_flows}};
}

Json critical_path_json(const History& h, double runtime) {
  return {{"compute_s", h.compute},
          {"latency_s", h.latency},
          {"bandwidth_s", h.bandwidth},
          {"contention_s", h.contention},
          {"compute_share", share(h.compute, runtime)},
          {"latency_share", share(h.latency, runtime)},
          {"bandwidth_share", share(h.bandwidth, runtime)},
          {"contention_share", share(h.contention, runtime)}};
}

Json step_json(const CriticalStep& step) {
  const auto of_message = [&](auto value) { return step.is_message ? Json(value) : Json(); };
  return {{"kind", step.is_message ? "message" : "compute"},
          {"rank", step.rank},
          {"receiver", of_message(step.receiver)},
          {"bytes", of_message(step.bytes)},
          {"operation", step.operation},
          {"begin_s", step.begin},
          {"end_s", step.end},
          {"latency_s", of_message(step.latency)},
          {"bandwidth_s", of_message(step.bandwidth)},
          {"contention_s", of_message(step.contention)}};
}

/// Those of the links that carried most for their width; ties by number.
Json busiest_of(const Json& links) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const auto& link : links) order.emplace_back(-link["mean_utilization"].get<double>(), order.size());
  const auto listed = static_cast<std::ptrdiff_t>(std::min(order.size(), bottlenecks_listed));
  std::partial_sort(order.begin(), order.begin() + listed, order.end());
  Json busiest = Json::array();
  for (auto link = order.begin(); link != order.begin() + listed; ++link) busiest.push_back(links[link->second]);
  return busiest;
}

}  // namespace

Json result_json(const Network& network, const ReplayReport& report) {
  const auto& machine = network.machine();
  const double runtime = report.runtime;
  const Time end = report.start + Time(runtime);
  Json links = Json::array();
  std::uint64_t max_bytes = 0, links_used = 0, link_bytes = 0;
  for (LinkId id = 0; id < machine.link_count(); ++id) {
    const auto load = network.usage().load(id, end);
    if (load.flows == 0) continue;
    links.push_back(link_json(network, id, load, runtime));
    ++links_used;
    link_bytes += load.bytes;
    max_bytes = std::max(max_bytes, load.bytes);
  }
  Json ranks = Json::array();
  for (std::size_t r = 0; r < report.ranks.size(); ++r) ranks.push_back(rank_json(r, report.ranks[r]));
  const auto messages = static_cast<double>(report.network_messages);
  Json result{
      {"schema_version", schema_version},
      {"runtime_s", runtime},
      {"messages", report.messages},
      {"bytes", report.bytes},
      {"network_messages", report.network_messages},
      {"network_bytes", report.network_bytes},
      {"hop_bytes", report.hop_bytes},
      {"hops_per_byte", share(static_cast<double>(report.hop_bytes), static_cast<double>(report.network_bytes))},
      {"dilation_mean", share(static_cast<double>(report.hops), messages)},
      {"dilation_max", report.dilation_max},
      {"max_link_load_bytes", max_bytes},
      {"mean_link_load_bytes", share(static_cast<double>(link_bytes), static_cast<double>(links_used))},
      {"links_used", links_used},
      {"critical_path", critical_path_json(report.critical_path, runtime)},
      {"bottleneck_links", busiest_of(links)},
      {"ranks", ranks},
      {"utilization_window_s", network.usage().windows() > 0 ? Json(network.usage().window_seconds()) : Json()},
      {"links", links}};
  for (const auto& step : report.critical_steps) result["critical_path"]["steps"].push_back(step_json(step));
  return result;
}

}  // namespace toroid::netsim
