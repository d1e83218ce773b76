#include "views/documents/machine_columns.hpp"

#include "platforms/grid.hpp"

namespace toroid::views {

namespace {

using core::Json;
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
  add_dimensions(columns);
  add_routers(columns);
  add_links(columns);
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

/// Coordinates of routers; which of their nodes are there.
void MachineColumns::add_routers(Columns& columns) const {
  const auto& grid = machine_.grid();
  std::vector<std::uint16_t> at;
  std::vector<std::uint32_t> first_node;
  std::vector<std::uint8_t> works;
  for (const RouterId router : grid.routers()) {
    const auto coordinates = grid.coordinates(router);
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) at.push_back(static_cast<std::uint16_t>(coordinates[d]));
    first_node.push_back(u4(machine_.first_node(router)));
    works.push_back(machine_.router_works(router) ? 1 : 0);
  }
  std::vector<std::uint8_t> states;
  for (const auto node : machine_.nodes()) states.push_back(static_cast<std::uint8_t>(machine_.state(node)));
  columns.add("router_at", at);
  columns.add("router_first_node", first_node);
  columns.add("router_works", works);
  columns.add("node_state", states);
}

void MachineColumns::add_links(Columns& columns) const {
  std::vector<std::uint32_t> from, to;
  std::vector<std::uint8_t> kind, failed;
  std::vector<float> bandwidth;
  for (const LinkId link : links_) {
    const bool is_of_grid = machine_.is_of_grid(link);
    from.push_back(is_of_grid ? u4(machine_.grid().link_source(link)) : u4(machine_.node_of_port(link)));
    to.push_back(is_of_grid ? u4(end_of(machine_.grid(), link)) : u4(machine_.node_of_port(link)));
    kind.push_back(kind_of(machine_, link));
    failed.push_back(machine_.link_exists(link) ? 0 : 1);
    bandwidth.push_back(static_cast<float>(machine_.link_bandwidth(link)));
  }
  columns.add("link_from", from);
  columns.add("link_to", to);
  columns.add("link_kind", kind);
  columns.add("link_failed", failed);
  columns.add("link_bandwidth", bandwidth);
}

/// The lines that are drawn of shared lines: one for each two neighbours. Every other link is a line between its ends.
void MachineColumns::add_segments(Columns& columns) const {
  const auto& grid = machine_.grid();
  std::vector<std::uint32_t> segment_link, from, to;
  for (const LinkId link : links_) {
    if (!machine_.is_of_grid(link) || !grid.dimension(grid.link_dimension(link)).shared) continue;
    platforms::for_each_span(grid, link, [&](RouterId here, RouterId next) {
      segment_link.push_back(number(link));
      from.push_back(u4(here));
      to.push_back(u4(next));
    });
  }
  columns.add("segment_link", segment_link);
  columns.add("segment_from", from);
  columns.add("segment_to", to);
}

}  // namespace toroid::views
