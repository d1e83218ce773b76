// A machine in the language of Graphviz: routers at their coordinates, planes of further dimensions beside each other.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "platforms/graphs/edges.hpp"
#include "platforms/machine_formats.hpp"

namespace toroid::platforms {
namespace {

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

}  // namespace

core::Entry<WriteMachine> dot_format() {
  return {"dot", "the language of Graphviz, for drawings: neato -n2 -Tsvg", dot};
}

}  // namespace toroid::platforms
