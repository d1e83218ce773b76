#include "netsim/engines/simgrid_zone.hpp"

#include <algorithm>
#include <simgrid/kernel/routing/NetPoint.hpp>

namespace toroid::netsim {

using platforms::LinkId;
using platforms::NodeId;

namespace {
constexpr double unlimited = 1e18;  ///< bytes/s; SimGrid knows no infinity
}  // namespace

SimgridZone::SimgridZone(const platforms::Machine& machine, RouteLatency latency)
    : NetZoneImpl("toroid"), machine_(machine), latency_(latency) {}

void SimgridZone::build() {
  const auto make_link = [&](const std::string& name, double bandwidth) {
    auto* link = create_link(name, {bandwidth});
    link->set_latency(0.0);
    return link;
  };
  hosts_.resize(static_cast<std::size_t>(machine_.node_count()));
  for (const NodeId node : machine_.compute_nodes()) {
    auto* host = create_host("node-" + std::to_string(node), {machine_.parameters().speed});
    host->set_core_count(machine_.parameters().cores);
    host->seal();
    hosts_[static_cast<std::size_t>(node)] = host;
  }
  links_.resize(static_cast<std::size_t>(machine_.link_count()));
  for (LinkId id = 0; id < machine_.link_count(); ++id) {
    if (!machine_.link_exists(id)) continue;
    auto* link = make_link("l" + std::to_string(id), machine_.link_bandwidth(id));
    link->seal();
    links_[static_cast<std::size_t>(id)] = link->get_impl();
  }
  if (latency_ == RouteLatency::constant) {
    router_ = make_link("router", unlimited);
    router_->set_sharing_policy(simgrid::s4u::Link::SharingPolicy::FATPIPE);
    router_->seal();
    loopbacks_.resize(hosts_.size());
    for (const NodeId node : machine_.compute_nodes()) {
      auto* link = make_link("loopback" + std::to_string(node), machine_.parameters().loopback_bandwidth);
      link->set_sharing_policy(simgrid::s4u::Link::SharingPolicy::FATPIPE);
      link->seal();
      loopbacks_[static_cast<std::size_t>(node)] = link->get_impl();
    }
  }
  get_iface()->seal();
}

NodeId SimgridZone::node(const simgrid::kernel::routing::NetPoint& point) const {
  // Hosts were created first and in order: a host's id in the zone is the place of its node among those that compute.
  return machine_.compute_nodes()[point.id()];
}

NodeId SimgridZone::node(const simgrid::s4u::Host& host) const {
  return node(*host.get_netpoint());
}

void SimgridZone::get_local_route(const simgrid::kernel::routing::NetPoint* from,
                                  const simgrid::kernel::routing::NetPoint* to, simgrid::kernel::routing::Route* route,
                                  double* latency) {
  const auto source = node(*from), target = node(*to);
  machine_.for_each_link(source, target,
                         [&](LinkId id) { route->link_list_.push_back(links_[static_cast<std::size_t>(id)]); });
  if (source == target && !loopbacks_.empty())
    route->link_list_.push_back(loopbacks_[static_cast<std::size_t>(source)]);
  if (route->link_list_.empty() && router_ != nullptr) route->link_list_.push_back(router_->get_impl());
  if (latency == nullptr || latency_ == RouteLatency::none) return;
  *latency += latency_ == RouteLatency::constant ? 1.0 : machine_.latency(source, target);
}

}  // namespace toroid::netsim
