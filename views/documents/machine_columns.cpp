#include "views/documents/machine_columns.hpp"

#include "platforms/names.hpp"
#include "views/documents/page.hpp"

namespace toroid::views {
namespace {

using platforms::Grid;
using platforms::LinkId;
using platforms::Machine;
using platforms::RouterId;

/// Where a link leads; of a shared line, where it begins.
RouterId end_of(const Grid& grid, LinkId link) {
  return grid.dimension(grid.link_dimension(link)).shared ? grid.link_source(link) : grid.link_target(link);
}

/// Twice the dimension, plus 1 backward; 254 injection, 255 ejection.
std::uint8_t kind_of(const Machine& machine, LinkId link) {
  if (!machine.is_of_grid(link)) return machine.is_injection(link) ? 254 : 255;
  const auto& grid = machine.grid();
  return static_cast<std::uint8_t>(2 * grid.link_dimension(link) + (grid.link_is_forward(link) ? 0 : 1));
}

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

MachineColumns::MachineColumns(const Machine& machine, const IsWanted& port)
    : machine_(machine), numbers_(static_cast<std::size_t>(machine.link_count()), no_number) {
  for (const LinkId link : machine.links()) {
    const bool is_there = machine.is_of_grid(link) ? machine.grid().link_exists(link) : port && port(link);
    if (!is_there) continue;
    numbers_[link.index()] = static_cast<std::uint32_t>(links_.size());
    links_.push_back(link);
  }
}

void MachineColumns::add_to(Columns& columns) const {
  const auto& grid = machine_.grid();
  add_dimensions(columns);
  std::vector<u2> at;
  for (const RouterId router : grid.routers()) {
    const auto coordinates = grid.coordinates(router);
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) at.push_back(static_cast<u2>(coordinates[d]));
  }
  columns.add("router_at", at);
  columns.add<u4>("router_first_node", grid.routers(), [&](RouterId router) { return machine_.first_node(router); });
  columns.add<u1>("router_works", grid.routers(), [&](RouterId router) { return machine_.router_works(router); });
  columns.add<u1>("node_state", machine_.nodes(), [&](auto node) { return machine_.state(node); });
  const auto end = [&](auto of_router) {
    return [&, of_router](LinkId link) {
      return machine_.is_of_grid(link) ? number_of<u4>(of_router(grid, link))
                                       : number_of<u4>(machine_.node_of_port(link));
    };
  };
  columns.add<u4>("link_from", links_, end([](const Grid& of, LinkId link) { return of.link_source(link); }));
  columns.add<u4>("link_to", links_, end(end_of));
  columns.add<u1>("link_kind", links_, [&](LinkId link) { return kind_of(machine_, link); });
  columns.add<u1>("link_failed", links_, [&](LinkId link) { return !machine_.link_exists(link); });
  columns.add<f4>("link_bandwidth", links_, [&](LinkId link) { return machine_.link_bandwidth(link); });
  add_segments(columns);
}

void MachineColumns::add_dimensions(Columns& columns) const {
  const auto& description = machine_.description();
  auto dimensions = Json::array();
  for (const auto& d : description.dimensions) {
    const auto& cabling = description.cabling[dimensions.size()];
    dimensions.push_back({{"name", machine_.grid().name(dimensions.size())},
                          {"extent", d.extent},
                          {"wrap", to_string(d.wrap)},
                          {"shared", d.shared},
                          {"twisted", d.is_twisted()},
                          {"bandwidth", d.capacity()},
                          {"latency_s", d.latency}});
    if (!cabling.empty()) dimensions.back()["places"] = cabling;
  }
  auto numbering = Json::array();
  for (const auto& digit : description.numbering) numbering.push_back({digit.dimension, digit.count});
  columns.meta["machine"] = machine_.name();
  columns.meta["dimensions"] = dimensions;
  columns.meta["numbering"] = numbering;
  columns.meta["nodes_per_router"] = description.nodes_per_router;
}

/// The lines that are drawn of shared lines: one for each two neighbours. Every other link is a line between its ends.
void MachineColumns::add_segments(Columns& columns) const {
  const auto& grid = machine_.grid();
  std::vector<u4> segment_link, from, to;
  for (const LinkId link : links_) {
    if (!machine_.is_of_grid(link) || !grid.dimension(grid.link_dimension(link)).shared) continue;
    TOROID_ASSERT(number(link) != no_number);
    platforms::for_each_span(grid, link, [&](RouterId here, RouterId next) {
      segment_link.push_back(number(link));
      from.push_back(number_of<u4>(here));
      to.push_back(number_of<u4>(next));
    });
  }
  columns.add("segment_link", segment_link);
  columns.add("segment_from", from);
  columns.add("segment_to", to);
}

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
  const MachineColumns drawn(machine, [&](LinkId port) { return std::ranges::find(way, port) != way.end(); });
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
