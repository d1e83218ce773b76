#pragma once
// A machine as a SimGrid zone of ours: SimGrid's own torus always wraps, has one bandwidth and no injection limit.

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::netsim {

/// Hosts are the machine's nodes in order; routes are computed in O(hops), no table.
class SimgridZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  /// `with_latency`: routes carry the machine's latency; else none, and who starts a flow pays it.
  SimgridZone(const platforms::Machine& machine, bool with_latency);

  /// Creates hosts and links. Call once, after construction: SimGrid wants the zone to be known by then.
  void build();
  simgrid::s4u::Host* host(platforms::NodeId node) const { return hosts_[static_cast<std::size_t>(node)]; }

 private:
  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* route, double* latency) override;

  const platforms::Machine& machine_;
  bool with_latency_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_;  ///< by LinkId; null where there is no link
};

}  // namespace toroid::netsim
