#pragma once
// A machine as a SimGrid zone of ours: SimGrid's own torus always wraps, has one bandwidth and no injection limit.

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {

/// What the routes of the zone say of their latency.
enum class RouteLatency {
  none,      ///< nothing: who starts a flow pays it
  true_one,  ///< the machine's; SimGrid then shares links by latency
  constant   ///< 1 s for all, to be turned into the true one by a latency factor; links are then shared equally
};

/// Hosts `node-0`, `node-1`, ... are the nodes that compute; routes are computed in O(hops), no table. Links are made
/// when the first message needs them: a small job on a large machine uses few of its millions.
class SimgridZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  SimgridZone(const platforms::Machine& machine, RouteLatency latency);

  /// Creates the hosts. Call once, after construction: SimGrid wants the zone to be known by then.
  void build();
  /// The host of a node that computes.
  simgrid::s4u::Host* host(platforms::NodeId node) const { return hosts_[node]; }
  platforms::NodeId node(const simgrid::s4u::Host& host) const;
  const platforms::Machine& machine() const { return machine_; }

 private:
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* route, double* latency) override;

  platforms::NodeId node(const simgrid::kernel::routing::NetPoint& point) const;

  class Links;
  using Link = simgrid::kernel::resource::StandardLinkImpl;
  using Policy = simgrid::s4u::Link::SharingPolicy;
  Link* make_link(const std::string& name, double bandwidth, Policy policy);
  Link* link(platforms::LinkId id);
  // Where ranks of one node meet, and nodes of one router that nothing limits; used only when the routes have the
  // constant latency, since toroid's own engines time such messages themselves.
  Link* loopback(platforms::NodeId node);
  Link* inside_router();

  const platforms::Machine& machine_;
  RouteLatency latency_;
  core::IdVector<platforms::NodeId, simgrid::s4u::Host*> hosts_;  ///< null where it does not compute
  Links* maker_ = nullptr;
  // Null where there is no link yet.
  core::IdVector<platforms::LinkId, Link*> links_;
  core::IdVector<platforms::NodeId, Link*> loopbacks_;
  Link* inside_router_ = nullptr;
};

}  // namespace toroid::netsim
