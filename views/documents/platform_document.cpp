#include "views/documents/platform_document.hpp"

#include "platforms/names.hpp"
#include "views/documents/machine_columns.hpp"
#include "views/documents/page.hpp"

namespace toroid::views {
namespace {

using core::Json;
using platforms::LinkId;
using platforms::Machine;

Json limit(double bandwidth) {
  return std::isinf(bandwidth) ? Json() : Json(bandwidth);
}

Json figures(const platforms::Survey& s) {
  Json json{{"routers", s.routers},
            {"compute_nodes", s.compute_nodes},
            {"mean_hops", s.mean_hops},
            {"diameter", s.diameter},
            {"is_sampled", s.is_sampled}};
  if (const auto* cut = s.bisection())
    json["bisection"] = {{"dimension", cut->dimension}, {"links", cut->links}, {"bandwidth", cut->bandwidth}};
  return json;
}

Json route_json(const Machine& machine, const RouteEnds& ends) {
  const auto path = machine.path(ends.first, ends.second);
  return {{"from", ends.first.value()},
          {"to", ends.second.value()},
          {"hops", path.hops},
          {"latency_s", path.latency},
          {"bandwidth", limit(path.bandwidth)}};
}

}  // namespace

Columns platform_columns(const Machine& machine, const platforms::Survey& survey, const std::string& platform,
                         const std::optional<RouteEnds>& route) {
  Columns columns;
  const auto& p = machine.parameters();
  columns.meta = {{"platform", platform},
                  {"text", machine.description().text},
                  {"figures", figures(survey)},
                  {"base_latency_s", p.base_latency},
                  {"injection", limit(p.injection_bandwidth)},
                  {"ejection", limit(p.ejection_bandwidth)},
                  {"cores", p.cores},
                  {"route", route ? route_json(machine, *route) : Json()}};
  if (!machine.description().node_names.empty()) {
    auto& names = columns.meta["node_names"] = Json::array();
    for (const auto node : machine.nodes()) names.push_back(platforms::node_name(machine.description(), node));
  }
  std::vector<LinkId> way;
  if (route) machine.for_each_link(route->first, route->second, [&](LinkId link) { way.push_back(link); });
  const MachineColumns drawn(machine,
                             [&](LinkId port) { return std::find(way.begin(), way.end(), port) != way.end(); });
  drawn.add_to(columns);
  columns.add<f4>("link_latency", drawn.links(),
                  [&](LinkId link) { return machine.is_of_grid(link) ? machine.grid().link_latency(link) : 0; });
  columns.add<u4>("route_link", way, [&](LinkId link) { return drawn.number(link); });
  return columns;
}

std::string platform_page(const Columns& platform) {
  return page(platform.meta["platform"].get<std::string>(), platform, web::platform);
}

}  // namespace toroid::views
