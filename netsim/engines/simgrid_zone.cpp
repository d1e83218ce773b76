#include "netsim/engines/simgrid_zone.hpp"

#include <algorithm>
#include <simgrid/kernel/routing/NetPoint.hpp>

namespace toroid::netsim {

using platforms::LinkId;
using platforms::NodeId;

namespace {
constexpr double unlimited = 1e18;  ///< bytes/s; SimGrid knows no infinity
}  // namespace

/// SimGrid seals its tree of zones when it runs, and a sealed zone takes no more links: so links get a zone beside it.
class SimgridZone::Links final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  Links() : NetZoneImpl("links") {}
  void get_local_route(const simgrid::kernel::routing::NetPoint*, const simgrid::kernel::routing::NetPoint*,
                       simgrid::kernel::routing::Route*, double*) override {}
};

SimgridZone::SimgridZone(const platforms::Machine& machine, RouteLatency latency)
    : NetZoneImpl("toroid"), machine_(machine), latency_(latency) {}

void SimgridZone::build() {
  hosts_.resize(machine_.node_count());
  for (const NodeId node : machine_.compute_nodes()) {
    auto* host = create_host(fmt::format("node-{}", node), {machine_.parameters().reached_speed()});
    host->set_core_count(machine_.parameters().cores);
    host->seal();
    hosts_[node] = host;
  }
  links_.resize(machine_.link_count());
  if (latency_ == RouteLatency::constant) loopbacks_.resize(hosts_.size());
  get_iface()->seal();
  maker_ = new Links;
  // In use until the process ends, which has one engine; volatile, or the pointer would not be kept at all.
  [[maybe_unused]] static const Links* volatile kept = nullptr;
  kept = maker_;
  maker_->set_network_model(get_network_model());
}

SimgridZone::Link* SimgridZone::make_link(const std::string& name, double bandwidth, Policy policy) {
  auto* link = maker_->create_link(name, {bandwidth});
  link->set_latency(0.0);
  link->set_sharing_policy(policy);
  link->seal();
  return link->get_impl();
}

SimgridZone::Link* SimgridZone::link(LinkId id) {
  auto*& link = links_[id];
  if (link == nullptr) link = make_link(fmt::format("l{}", id), machine_.link_bandwidth(id), Policy::SHARED);
  return link;
}

SimgridZone::Link* SimgridZone::loopback(NodeId node) {
  auto*& link = loopbacks_[node];
  if (link == nullptr)
    link = make_link(fmt::format("loopback{}", node), std::min(machine_.parameters().loopback_bandwidth, unlimited),
                     Policy::FATPIPE);
  return link;
}

SimgridZone::Link* SimgridZone::inside_router() {
  if (inside_router_ == nullptr) inside_router_ = make_link("router", unlimited, Policy::FATPIPE);
  return inside_router_;
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
  machine_.for_each_link(source, target, [&](LinkId id) { route->link_list_.push_back(link(id)); });
  if (latency_ == RouteLatency::constant && !machine_.uses_links(source, target))
    route->link_list_.push_back(source == target ? loopback(source) : inside_router());
  if (latency == nullptr || latency_ == RouteLatency::none) return;
  *latency += latency_ == RouteLatency::constant ? 1.0 : machine_.latency(source, target);
}

}  // namespace toroid::netsim
