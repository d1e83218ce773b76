// A machine as GraphML (http://graphml.graphdrawing.org), for NetworkX, igraph and Gephi: a directed graph of routers,
// with coordinates, numbers of nodes, bandwidths and latencies.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/markup.hpp"
#include "platforms/graphs/edges.hpp"
#include "platforms/link_facts.hpp"
#include "platforms/machine_formats.hpp"

namespace toroid::platforms {
namespace {

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

core::Entry<WriteMachine> graphml_format() {
  return {"graphml", "GraphML, for NetworkX, igraph and Gephi: routers and the links between them", graphml};
}

}  // namespace toroid::platforms
