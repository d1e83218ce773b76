#include "platforms/machine.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace toroid::platforms {

Machine::Machine(std::string name, Grid grid, NodeParameters parameters)
    : name_(std::move(name)), grid_(std::move(grid)), parameters_(parameters) {
  const auto& p = parameters_;
  for (const double bandwidth : {p.injection_bandwidth, p.ejection_bandwidth, p.loopback_bandwidth, p.speed})
    if (!(bandwidth > 0))
      core::fail_input("'{}': bandwidths and speeds must be more than 0, found {}", name_, bandwidth);
  for (const double latency : {p.base_latency, p.loopback_latency})
    if (!(latency >= 0) || !std::isfinite(latency))
      core::fail_input("'{}': latencies must be 0 or more, found {}", name_, latency);
  if (p.cores < 1) core::fail_input("'{}': cores={}; expected at least 1", name_, p.cores);
}

bool Machine::link_exists(LinkId link) const {
  if (link < grid_.link_count()) return grid_.link_exists(link);
  return link < grid_.link_count() + node_count() ? limits_injection() : limits_ejection();
}

double Machine::link_bandwidth(LinkId link) const {
  if (link < grid_.link_count()) return grid_.dimension(grid_.link_dimension(link)).bandwidth;
  return link < grid_.link_count() + node_count() ? parameters_.injection_bandwidth : parameters_.ejection_bandwidth;
}

Grid::Coordinates Machine::hops_per_dimension(NodeId from, NodeId to) const {
  Grid::Coordinates hops{};
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d)
    hops[d] = std::abs(grid_.steps(d, grid_.coordinate(router(from), d), grid_.coordinate(router(to), d)));
  return hops;
}

bool Machine::symmetric() const {
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d)
    if (grid_.dimension(d).wrap == Wrap::ring && grid_.dimension(d).extent > 1) return false;
  return true;
}

std::string Machine::link_name(LinkId link) const {
  if (link >= grid_.link_count()) {
    const NodeId port = link - grid_.link_count();
    return port < node_count() ? fmt::format("n{} injection", port) : fmt::format("n{} ejection", port - node_count());
  }
  return fmt::format("n{} -> n{} ({}{})", grid_.link_source(link), grid_.link_target(link),
                     grid_.link_is_forward(link) ? '+' : '-', dimension_name(grid_.link_dimension(link)));
}

double Machine::route_bandwidth(NodeId from, NodeId to) const {
  if (from == to) return parameters_.loopback_bandwidth;
  double narrowest = std::numeric_limits<double>::infinity();
  for_each_link(from, to, [&](LinkId link) { narrowest = std::min(narrowest, link_bandwidth(link)); });
  return narrowest;
}

Machine make_machine(std::string_view text) {
  const auto spec = core::Spec::parse(text);
  return machines().find(spec).make(spec);
}

}  // namespace toroid::platforms
