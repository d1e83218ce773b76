#include "netsim/engines/simgrid_zone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>

namespace toroid::netsim {

using platforms::LinkId;
using platforms::NodeId;

SimgridZone::SimgridZone(const platforms::Machine& machine, bool with_latency)
    : NetZoneImpl("toroid"), machine_(machine), with_latency_(with_latency) {}

void SimgridZone::build() {
  for (NodeId node = 0; node < machine_.node_count(); ++node) {
    auto* host = create_host(std::to_string(node), {machine_.parameters().speed});
    host->seal();
    hosts_.push_back(host);
  }
  links_.resize(static_cast<std::size_t>(machine_.link_count()));
  for (LinkId id = 0; id < machine_.link_count(); ++id) {
    if (!machine_.link_exists(id)) continue;
    auto* link = create_link("l" + std::to_string(id), {machine_.link_bandwidth(id)});
    link->set_latency(0.0);
    link->seal();
    links_[static_cast<std::size_t>(id)] = link->get_impl();
  }
  get_iface()->seal();
}

void SimgridZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                  const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* route,
                                  double* latency) {
  // Hosts were created first and in order: a host's id in the zone is its node.
  const auto source = static_cast<NodeId>(from->id());
  const auto target = static_cast<NodeId>(to->id());
  machine_.for_each_link(source, target,
                         [&](LinkId id) { route->link_list_.push_back(links_[static_cast<std::size_t>(id)]); });
  if (with_latency_ && latency != nullptr) *latency += machine_.latency(source, target);
}

}  // namespace toroid::netsim
