// Machines as files for other programs.

#include <set>

#include "platforms/document.hpp"
#include "platforms/xml.hpp"

namespace toroid::platforms {
namespace {

/// A way from a router to a neighbour over a link. A line that routers share is a way between each two neighbours on
/// it, both ways.
struct Edge {
  RouterId from = 0, to = 0;
  LinkId link = 0;
};

/// All of them, by the numbers of the links; those of links that failed are left out.
std::vector<Edge> edges(const Machine& machine) {
  const auto& grid = machine.grid();
  std::vector<Edge> all;
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !grid.link_exists(link) || !machine.link_exists(link)) continue;
    const bool both_ways = grid.dimension(grid.link_dimension(link)).shared;
    for_each_span(grid, link, [&](RouterId from, RouterId to) {
      all.push_back({from, to, link});
      if (both_ways) all.push_back({to, from, link});
    });
  }
  return all;
}

/// The place of a router on paper: x and y are the first two dimensions; each further one lies along the one two before
/// it, with a gap.
std::pair<std::int64_t, std::int64_t> place(const Grid& grid, RouterId router) {
  const auto at = grid.coordinates(router);
  std::int64_t places[2] = {0, 0}, steps[2] = {1, 1};
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    places[d % 2] += steps[d % 2] * at[d];
    steps[d % 2] *= grid.dimension(d).extent + 1;
  }
  return {places[0], places[1]};
}

/// The language of Graphviz: routers at their coordinates, planes of further dimensions beside each other.
std::string dot(const Machine& machine) {
  std::string name;
  for (const char c : machine.name())
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ') name += c;
  std::string text = fmt::format(
      "// neato -n2 -Tsvg draws routers where they are, dot and sfdp where they like\ndigraph \"{}\" {{\n"
      "  node [shape=circle, width=0.4, fixedsize=true, fontsize=8];\n  edge [arrowsize=0.5];\n",
      name);
  constexpr std::int64_t apart = 54;  // points
  for (const RouterId router : machine.grid().routers()) {
    const auto [x, y] = place(machine.grid(), router);
    text += fmt::format("  \"{}\" [pos=\"{},{}\"{}];\n", machine.router_name(router), apart * x, -apart * y,
                        machine.router_works(router) ? "" : ", style=dashed");
  }
  const auto all = edges(machine);
  std::set<std::pair<RouterId, RouterId>> ways;
  for (const auto& edge : all) ways.emplace(edge.from, edge.to);
  // Two ways between the same routers are one line, with two heads.
  for (const auto& [from, to] : ways) {
    const bool both = ways.contains({to, from});
    if (both && to < from) continue;
    text += fmt::format("  \"{}\" -> \"{}\"{};\n", machine.router_name(from), machine.router_name(to),
                        both ? " [dir=both]" : "");
  }
  return text + "}\n";
}

std::string key(std::string_view of, std::string_view name, std::string_view type) {
  return fmt::format("  <key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", name, of, type);
}

std::string data(std::string_view name, const auto& value) {
  return fmt::format("<data key=\"{}\">{}</data>", name, value);
}

std::string keys(const Machine& machine) {
  auto text = key("graph", "name", "string");
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    text += key("node", "at_" + machine.grid().name(d), "int");
  text += key("node", "first_node", "int") + key("node", "nodes", "int") + key("node", "works", "boolean");
  text += key("edge", "link", "int") + key("edge", "dimension", "string") + key("edge", "direction", "string");
  return text + key("edge", "bandwidth_bytes_per_s", "double") + key("edge", "latency_s", "double");
}

/// GraphML (http://graphml.graphdrawing.org): a directed graph of routers, with coordinates, numbers of nodes,
/// bandwidths and latencies.
std::string graphml(const Machine& machine) {
  const auto& grid = machine.grid();
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  text += keys(machine);
  // The name is no id of the graph: ids have neither spaces nor commas in the schema of GraphML.
  text +=
      fmt::format("  <graph edgedefault=\"directed\">\n    {}\n", data("name", core::escape_markup(machine.name())));
  for (const RouterId router : grid.routers()) {
    text += fmt::format("    <node id=\"{}\">", machine.router_name(router));
    const auto at = grid.coordinates(router);
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) text += data("at_" + grid.name(d), at[d]);
    text += data("first_node", machine.first_node(router)) + data("nodes", machine.description().nodes_per_router) +
            data("works", machine.router_works(router)) + "</node>\n";
  }
  for (const auto& edge : edges(machine)) {
    const auto facts = link_facts(machine, edge.link);
    text += fmt::format("    <edge source=\"{}\" target=\"{}\">", machine.router_name(edge.from),
                        machine.router_name(edge.to));
    text += data("link", edge.link) + data("dimension", facts.dimension) + data("direction", facts.direction) +
            data("bandwidth_bytes_per_s", facts.bandwidth) + data("latency_s", facts.latency) + "</edge>\n";
  }
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace

const core::Registry<WriteMachine>& machine_formats() {
  static const core::Registry<WriteMachine> registry(
      "machine format",
      {{"toroid", "a platform file, which every command takes",
        [](const Machine& machine) { return xml_text(machine.description()); }},
       {"simgrid", "plain SimGrid XML: a TORUS cluster where it fits, else the ways along each dimension",
        export_simgrid_xml},
       {"graphml", "GraphML, for NetworkX, igraph and Gephi: routers and the links between them", graphml},
       {"dot", "the language of Graphviz, for drawings: neato -n2 -Tsvg", dot}});
  return registry;
}

}  // namespace toroid::platforms
