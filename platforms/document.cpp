#include "platforms/document.hpp"

#include "platforms/names.hpp"

namespace toroid::platforms {
namespace {

/// The link between a node and its router.
LinkFacts port_facts(const Machine& machine, LinkId link) {
  const bool is_injection = machine.is_injection(link);
  const auto node = machine.node_of_port(link);
  const auto router = machine.router(node);
  LinkFacts facts{.link = link,
                  .kind = is_injection ? "injection" : "ejection",
                  .from = fmt::format("n{}", node),
                  .to = fmt::format("r{}", router),
                  .from_router = router,
                  .to_router = router};
  if (!is_injection) facts.from.swap(facts.to);
  return facts;
}

LinkFacts grid_link_facts(const Machine& machine, LinkId link) {
  const auto& grid = machine.grid();
  const auto d = grid.link_dimension(link);
  const bool is_line = grid.dimension(d).shared;
  const auto from = grid.link_source(link);
  // The line begins at its first router, so one step back, round the end, is its last.
  const auto to = is_line ? grid.neighbour(from, d, false) : grid.link_target(link);
  return {.link = link,
          .kind = is_line ? "line" : "link",
          .dimension = grid.name(d),
          .direction = is_line                      ? ""
                       : grid.link_is_forward(link) ? "+"
                                                    : "-",
          .from = machine.router_name(from),
          .to = machine.router_name(to),
          .from_router = from,
          .to_router = to,
          .latency = grid.link_latency(link)};
}

using core::Json;

Json at_json(const Grid& grid, RouterId router) {
  const auto at = grid.coordinates(router);
  return Json::array_t(at.begin(), at.begin() + static_cast<long>(grid.dimension_count()));
}

Json figures(const Machine& machine, const Survey& s) {
  Json links = Json::array(), cuts = Json::array();
  for (const auto& l : s.links)
    links.push_back({{"dimension", l.dimension},
                     {"links", l.count},
                     {"bandwidth_min_bytes_per_s", l.bandwidth_min},
                     {"bandwidth_max_bytes_per_s", l.bandwidth_max}});
  for (const auto& cut : s.cuts)
    cuts.push_back({{"dimension", machine.grid().name(cut.dimension)},
                    {"links", cut.links},
                    {"bandwidth_bytes_per_s", cut.bandwidth}});
  const auto* bisection = s.bisection();
  Json all_properties = Json::object();
  for (const auto& [name, value] : properties(machine.description())) all_properties[name] = value;
  return {{"name", machine.name()},
          {"properties", all_properties},
          {"routers", s.routers},
          {"compute_nodes", s.compute_nodes},
          {"service_nodes", s.service_nodes},
          {"absent_nodes", s.absent_nodes},
          {"failed_nodes", s.failed_nodes},
          {"links", links},
          {"diameter_hops", s.diameter},
          {"mean_hops", s.mean_hops},
          {"distances_sampled", s.is_sampled},
          {"cuts", cuts},
          {"bisection_links", bisection == nullptr ? Json() : Json(bisection->links)},
          {"bisection_bandwidth_bytes_per_s", bisection == nullptr ? Json() : Json(bisection->bandwidth)}};
}

std::string_view state_text(NodeState state) {
  switch (state) {
    case NodeState::computes:
      return "computes";
    case NodeState::service:
      return "service";
    case NodeState::absent:
      return "absent";
    case NodeState::failed:
      break;
  }
  return "failed";
}

/// A table as text, a row a line: rows by the million would not fit as values of JSON.
class Table {
 public:
  explicit Table(std::string_view name) { text_ = fmt::format(",\n \"{}\": [", name); }

  void add(const Json& row) {
    text_ += is_empty_ ? "\n  " : ",\n  ";
    text_ += core::json_text(row);
    is_empty_ = false;
  }
  std::string finish() { return std::move(text_ += is_empty_ ? "]" : "\n ]"); }

 private:
  std::string text_;
  bool is_empty_ = true;
};

std::string routers(const Machine& machine) {
  Table table("router_table");
  const auto per_router = machine.description().nodes_per_router;
  for (const RouterId router : machine.grid().routers())
    table.add(core::object({{"router", router},
                            {"name", machine.router_name(router)},
                            {"at", at_json(machine.grid(), router)},
                            {"first_node", machine.first_node(router)},
                            {"nodes", per_router},
                            {"works", machine.router_works(router)}}));
  return table.finish();
}

std::string nodes(const Machine& machine) {
  Table table("node_table");
  for (const NodeId node : machine.nodes())
    table.add(core::object({{"node", node},
                            {"name", fmt::format("n{}", node)},
                            {"router", machine.router(node)},
                            {"at", at_json(machine.grid(), machine.router(node))},
                            {"state", state_text(machine.state(node))}}));
  return table.finish();
}

/// Links that the machine has, also those that failed.
bool has_link(const Machine& machine, LinkId link) {
  return machine.is_of_grid(link) ? machine.grid().link_exists(link) : machine.link_exists(link);
}

std::string links(const Machine& machine) {
  Table table("link_table");
  for (const LinkId link : machine.links()) {
    if (!has_link(machine, link)) continue;
    const auto facts = link_facts(machine, link);
    Json row = core::object({{"link", link}, {"name", facts.name}});
    add_link_facts(row, machine, facts);
    row["works"] = facts.works;
    table.add(row);
  }
  return table.finish();
}

}  // namespace

LinkFacts link_facts(const Machine& machine, LinkId link) {
  auto facts = machine.is_of_grid(link) ? grid_link_facts(machine, link) : port_facts(machine, link);
  facts.name = machine.link_name(link);
  facts.bandwidth = machine.link_bandwidth(link);
  facts.works = machine.link_exists(link);
  return facts;
}

void add_link_facts(Json& row, const Machine& machine, const LinkFacts& facts) {
  core::add(row, {{"kind", facts.kind},
                  {"dimension", facts.dimension},
                  {"direction", facts.direction},
                  {"from", facts.from},
                  {"to", facts.to},
                  {"from_at", at_json(machine.grid(), facts.from_router)},
                  {"to_at", at_json(machine.grid(), facts.to_router)},
                  {"bandwidth_bytes_per_s", facts.bandwidth},
                  {"latency_s", facts.latency}});
}

std::string machine_document(const Machine& machine, const Survey& survey) {
  auto text = core::json_text(figures(machine, survey), 1);
  text.resize(text.rfind('\n'));  // the closing brace comes after the tables
  return text + routers(machine) + nodes(machine) + links(machine) + "\n}\n";
}

}  // namespace toroid::platforms
