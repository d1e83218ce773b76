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
using core::Object;

Json at_json(const Grid& grid, RouterId router) {
  const auto at = grid.coordinates(router);
  return Json::array_t(at.begin(), at.begin() + static_cast<long>(grid.dimension_count()));
}

const Object<Survey::Links> dimension_object{
    "links of dimension",
    {{"dimension", "text", "its name", &Survey::Links::dimension},
     {"links", "count", "how many there are", &Survey::Links::count},
     {"bandwidth_min_bytes_per_s", "B/s", "the least of them", &Survey::Links::bandwidth_min},
     {"bandwidth_max_bytes_per_s", "B/s", "the largest of them", &Survey::Links::bandwidth_max}}};

struct NamedCut : Cut {
  std::string name;  ///< the name of the dimension
};

const Object<NamedCut> cut_object{"cut",
                                  {{"dimension", "text", "its name", &NamedCut::name},
                                   {"links", "count", "that cross the middle, one way", &NamedCut::links},
                                   {"bandwidth_bytes_per_s", "B/s", "of these links", &NamedCut::bandwidth}}};

struct Surveyed : Survey {
  const Machine& machine;

  Json named_cuts() const {
    Json all = Json::array();
    for (const auto& cut : Survey::cuts) all.push_back(cut_object({{cut}, machine.grid().name(cut.dimension)}));
    return all;
  }
  Json of_bisection(auto member) const {
    const auto* cut = bisection();
    return cut == nullptr ? Json() : Json(cut->*member);
  }
};

const Object<Surveyed> machine_object{
    "machine",
    {{"name", "text", "the machine as it was named", [](auto& m) { return m.machine.name(); }},
     {"properties", "text by name", "its properties",
      [](auto& m) { return core::by_name(properties(m.machine.description())); }},
     {"routers", "count", "how many there are", &Surveyed::routers},
     {"compute_nodes", "count", "how many there are", &Surveyed::compute_nodes},
     {"service_nodes", "count", "how many there are", &Surveyed::service_nodes},
     {"absent_nodes", "count", "how many there are", &Surveyed::absent_nodes},
     {"failed_nodes", "count", "how many there are", &Surveyed::failed_nodes},
     {"links", "list of links of dimension", "a line for each dimension",
      [](auto& m) { return dimension_object.list(m.links); }},
     {"diameter_hops", "count", "hops between two nodes at most", &Surveyed::diameter},
     {"mean_hops", "number", "hops between two nodes on average", &Surveyed::mean_hops},
     {"distances_sampled", "yes or no", "only some pairs were looked at", &Surveyed::is_sampled},
     {"cuts", "list of cut", "across the middle of each dimension", &Surveyed::named_cuts},
     {"bisection_links", "count", "of the narrowest of these cuts, one way",
      [](auto& m) { return m.of_bisection(&Cut::links); }},
     {"bisection_bandwidth_bytes_per_s", "B/s", "of the narrowest of these cuts, one way",
      [](auto& m) { return m.of_bisection(&Cut::bandwidth); }},
     {"router_table", "list of router", "every router", {}},
     {"node_table", "list of node", "every node", {}},
     {"link_table", "list of machine link", "every link", {}}}};

struct PlacedRouter {
  const Machine& machine;
  RouterId router;
};

const Object<PlacedRouter> router_object{
    "router",
    {{"router", "count", "its number", &PlacedRouter::router},
     {"name", "text", "its name, which options take", [](auto& r) { return r.machine.router_name(r.router); }},
     {"at", "list of count", "coordinates", [](auto& r) { return at_json(r.machine.grid(), r.router); }},
     {"first_node", "count", "the first of its nodes", [](auto& r) { return r.machine.first_node(r.router); }},
     {"nodes", "count", "how many nodes it has, from first_node on",
      [](auto& r) { return r.machine.description().nodes_per_router; }},
     {"works", "yes or no", "no: it has failed", [](auto& r) { return r.machine.router_works(r.router); }}}};

std::string_view state_text(NodeState state) {
  constexpr std::array<std::string_view, 4> names{"computes", "service", "failed", "absent"};
  return names[static_cast<std::size_t>(state)];
}

struct PlacedNode {
  const Machine& machine;
  NodeId node;
};

const Object<PlacedNode> node_object{
    "node",
    {{"node", "count", "its number", &PlacedNode::node},
     {"name", "text", "its name, which options take", [](auto& n) { return fmt::format("n{}", n.node); }},
     {"router", "count", "that it is on", [](auto& n) { return n.machine.router(n.node); }},
     {"at", "list of count", "coordinates",
      [](auto& n) { return at_json(n.machine.grid(), n.machine.router(n.node)); }},
     {"state", "text", "computes, service, absent, failed",
      [](auto& n) { return state_text(n.machine.state(n.node)); }}}};

const Object<PlacedLink> machine_link_object{
    "machine link",
    {{"link", "count", "its number", &PlacedLink::link},
     {"name", "text", "its name, which options take", &PlacedLink::name},
     {"...", "fields of link facts", "what the link is", [](auto& l) { return link_facts_object()(l); }},
     {"works", "yes or no", "no: it, or a router at its ends, has failed", &PlacedLink::works}}};

/// Links that the machine has, also those that failed.
bool has_link(const Machine& machine, LinkId link) {
  return machine.is_of_grid(link) ? machine.grid().link_exists(link) : machine.link_exists(link);
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

}  // namespace

LinkFacts link_facts(const Machine& machine, LinkId link) {
  auto facts = machine.is_of_grid(link) ? grid_link_facts(machine, link) : port_facts(machine, link);
  facts.name = machine.link_name(link);
  facts.bandwidth = machine.link_bandwidth(link);
  facts.works = machine.link_exists(link);
  return facts;
}

const Object<PlacedLink>& link_facts_object() {
  static const Object<PlacedLink> object{
      "link facts",
      {{"kind", "text", "link, line (shared by all its routers), injection, ejection", &PlacedLink::kind},
       {"dimension", "text", "empty if there is none", &PlacedLink::dimension},
       {"direction", "text", "+ or -; empty if there is none", &PlacedLink::direction},
       {"from", "text", "router or node where it begins; of a line its first router", &PlacedLink::from},
       {"to", "text", "router or node where it ends; of a line its last router", &PlacedLink::to},
       {"from_at", "list of count", "coordinates", [](auto& l) { return at_json(l.machine.grid(), l.from_router); }},
       {"to_at", "list of count", "coordinates", [](auto& l) { return at_json(l.machine.grid(), l.to_router); }},
       {"bandwidth_bytes_per_s", "B/s", "of all parallel links together", &PlacedLink::bandwidth},
       {"latency_s", "seconds", "of a line, of each hop", &PlacedLink::latency}}};
  return object;
}

std::vector<core::ObjectText> machine_objects() {
  return {machine_object, dimension_object, cut_object, router_object, node_object, machine_link_object};
}

std::string machine_document(const Machine& machine, const Survey& survey) {
  Table routers("router_table"), nodes("node_table"), links("link_table");
  for (const RouterId router : machine.grid().routers()) routers.add(router_object({machine, router}));
  for (const NodeId node : machine.nodes()) nodes.add(node_object({machine, node}));
  for (const LinkId link : machine.links())
    if (has_link(machine, link)) links.add(machine_link_object({link_facts(machine, link), machine}));
  auto text = core::json_text(machine_object({survey, machine}), 1);
  text.resize(text.rfind('\n'));  // the closing brace comes after the tables
  return text + routers.finish() + nodes.finish() + links.finish() + "\n}\n";
}

}  // namespace toroid::platforms
