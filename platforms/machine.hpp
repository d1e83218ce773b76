#pragma once
// A machine: the grid of routers, the nodes on it, and what a message and a computation cost there.

#include <limits>
#include <string>
#include <string_view>

#include "core/registry.hpp"
#include "platforms/grid.hpp"

namespace toroid::platforms {

/// What the grid does not say. Bandwidths in bytes/s, times in seconds; an infinite bandwidth means no limit.
struct NodeParameters {
  double base_latency = 0;  ///< paid once by every message between two nodes, besides the hop latencies
  double injection_bandwidth = std::numeric_limits<double>::infinity();  ///< from a node into its router
  double ejection_bandwidth = std::numeric_limits<double>::infinity();   ///< from a router into its node
  double loopback_bandwidth = 1e10;  ///< between ranks of one node; each message has it to itself
  double loopback_latency = 1e-7;
  double speed = 1e9;      ///< flop/s of one core; recorded computation is counted in flops
  std::int32_t cores = 1;  ///< ranks a node can run at full speed
};

/// Links are numbered: first the grid's, then one injection link per node, then one ejection link per node.
class Machine {
 public:
  Machine(std::string name, Grid grid, NodeParameters parameters);

  const std::string& name() const { return name_; }
  const Grid& grid() const { return grid_; }
  const NodeParameters& parameters() const { return parameters_; }

  NodeId node_count() const { return grid_.size(); }
  LinkId link_count() const { return grid_.link_count() + 2 * node_count(); }
  bool link_exists(LinkId link) const;
  double link_bandwidth(LinkId link) const;
  /// `n5 -> n6 (+x)`, `n5 injection`, `n5 ejection`.
  std::string link_name(LinkId link) const;

  bool limits_injection() const { return parameters_.injection_bandwidth < std::numeric_limits<double>::infinity(); }
  bool limits_ejection() const { return parameters_.ejection_bandwidth < std::numeric_limits<double>::infinity(); }

  /// The router of the grid that a node is on.
  NodeId router(NodeId node) const { return node; }

  std::int32_t hops(NodeId from, NodeId to) const { return grid_.hops(router(from), router(to)); }
  /// The hops of the route along each dimension of the grid, 0 or more.
  Grid::Coordinates hops_per_dimension(NodeId from, NodeId to) const;
  /// Whether routes are as long one way as the other: no dimension is a one-way ring.
  bool symmetric() const;

  /// Seconds before the first byte of a message arrives; within a node the loopback latency.
  double latency(NodeId from, NodeId to) const {
    return from == to ? parameters_.loopback_latency : parameters_.base_latency + grid_.latency(from, to);
  }

  /// Calls visit(LinkId) for every link that a message occupies, first to last; none within a node.
  template <class Visit>
  void for_each_link(NodeId from, NodeId to, Visit&& visit) const {
    if (from == to) return;
    if (limits_injection()) visit(grid_.link_count() + from);
    grid_.for_each_link(from, to, visit);
    if (limits_ejection()) visit(grid_.link_count() + node_count() + to);
  }

  /// Bytes/s that a message gets on an empty machine: the narrowest link of its route.
  double route_bandwidth(NodeId from, NodeId to) const;

 private:
  std::string name_;
  Grid grid_;
  NodeParameters parameters_;
};

using MakeMachine = Machine (*)(const core::Spec&);

/// The machines that a spec can name: `mesh:8x8`, `torus:4x4x4,bw=1.25GBps,lat=1us`, `ring:12x8`.
const core::Registry<MakeMachine>& machines();

/// The machine that a PLATFORM argument names. Throws InputError.
Machine make_machine(std::string_view text);

/// The machine as plain SimGrid XML (DTD 4.1) for smpirun and Engine::load_platform: hosts `node-0`, `node-1`, ...
/// SimGrid's own torus wraps every dimension and has one bandwidth and one latency, so anything else is refused, with
/// the reason, as an InputError.
std::string export_simgrid_xml(const Machine& machine);

}  // namespace toroid::platforms
