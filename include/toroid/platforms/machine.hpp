#pragma once
// A machine: the grid of routers, the nodes on it, and what a message and a computation cost there.
//
//   const auto machine = platforms::make_machine("torus:4x4x4");
//   machine.hops(platforms::NodeId(0), platforms::NodeId(3))  // 1: the short way round

#include <memory>
#include <span>

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

class Detours;

/// What the route of a message from node to node costs.
struct Path {
  std::int32_t hops = 0;  ///< links of the grid, where a shared line counts its steps
  double latency = 0;     ///< seconds before the first byte arrives
  double bandwidth = 0;   ///< bytes/s that a message gets on an empty machine; infinite where it uses no link
};

enum class NodeState : std::uint8_t { computes, service, failed, absent };

/// A machine, computed from its description. Link ids are first those of the grid, then one injection link per node,
/// then one ejection link per node. A route goes in dimension order where all its links work, else by a shortest way
/// round what failed.
class Machine {
 public:
  /// Throws InputError when the description is no machine (see check.hpp), or when failures cut it in two.
  explicit Machine(Description description);

  const std::string& name() const { return description_.name; }
  const Description& description() const { return description_; }
  const Grid& grid() const { return grid_; }
  const NodeParameters& parameters() const { return description_.node; }

  /// How many nodes there are. Some may not compute.
  std::int32_t node_count() const { return static_cast<std::int32_t>(routers_.size()); }
  auto nodes() const { return routers_.ids(); }
  /// The nodes that ranks can run on, by their numbers.
  std::span<const NodeId> compute_nodes() const { return compute_nodes_; }
  /// The state of a node. A node in several lists is absent before failed, and failed before service; all nodes on a
  /// failed router are failed unless absent.
  NodeState state(NodeId node) const { return states_[node]; }
  bool computes(NodeId node) const { return state(node) == NodeState::computes; }

  /// The router of the grid that a node is on.
  RouterId router(NodeId node) const { return routers_[node]; }
  /// The first node on a router; the others follow it.
  NodeId first_node(RouterId router) const { return first_nodes_[router]; }
  /// All nodes on a router.
  core::IdRange<NodeId> nodes_on(RouterId router) const {
    const auto first = first_node(router);
    return {first, NodeId(first.value() + description_.nodes_per_router)};
  }
  bool router_works(RouterId router) const;

  std::int32_t link_count() const { return grid_.link_count() + 2 * node_count(); }
  auto links() const { return core::ids<LinkId>(link_count()); }
  LinkId injection_link(NodeId node) const { return LinkId(grid_.link_count() + node.value()); }
  LinkId ejection_link(NodeId node) const { return LinkId(grid_.link_count() + node_count() + node.value()); }
  bool is_of_grid(LinkId link) const { return link.value() < grid_.link_count(); }
  bool is_injection(LinkId link) const { return !is_of_grid(link) && link < LinkId(grid_.link_count() + node_count()); }
  /// The node whose injection or ejection link `port` is.
  NodeId node_of_port(LinkId port) const { return NodeId((port.value() - grid_.link_count()) % node_count()); }
  /// Whether there is such a link and it works.
  bool link_exists(LinkId link) const;
  double link_bandwidth(LinkId link) const;
  /// The name of a link, which names.hpp reads: `n5 -> n6 (+x)`, on machines with several nodes per router
  /// `r2 -> r3 (+x)`; `n5 injection`, `n5 ejection`; a shared line by its first router, `line of n5 (x)`.
  std::string link_name(LinkId link) const;
  /// The name of a router: `n5` by its only node, or `r5` on machines with several nodes per router.
  std::string router_name(RouterId router) const;
  /// The router that a name means; the machine must have it (see check.hpp). Throws InputError when the name is a bare
  /// number and the node of that number is on another router.
  RouterId router_named(const RouterName& name) const;
  /// The links that a name means, failed ones included. Throws InputError when there is none.
  std::vector<LinkId> links_named(const LinkName& name) const;

  bool limits_injection() const { return parameters().injection_bandwidth < no_limit; }
  bool limits_ejection() const { return parameters().ejection_bandwidth < no_limit; }

  /// The hops of the route: links of the grid, where a shared line counts its steps.
  std::int32_t hops(NodeId from, NodeId to) const {
    if (const auto* way = detour(from, to)) return static_cast<std::int32_t>(way->size());
    return grid_.hops(router(from), router(to));
  }
  /// Computes hops(), latency() and route_bandwidth() at once.
  Path path(NodeId from, NodeId to) const;
  /// The hops of the route along each dimension of the grid, 0 or more.
  Coordinates hops_per_dimension(NodeId from, NodeId to) const;
  /// Whether routes are as long one way as the other.
  bool symmetric() const;
  /// Whether the hops along each dimension follow from the two coordinates there: nothing is twisted, and no link or
  /// router failed.
  bool separable() const;

  /// The time until the first byte of a message arrives, in seconds; within a node the loopback latency.
  double latency(NodeId from, NodeId to) const { return path(from, to).latency; }

  /// Whether a message occupies any link: not within a node, nor between nodes of a router where ports have no limit.
  bool uses_links(NodeId from, NodeId to) const {
    return from != to && (limits_injection() || limits_ejection() || router(from) != router(to));
  }

  /// Calls visit(LinkId) for every link that a message occupies, first to last.
  template <class Visit>
  void for_each_link(NodeId from, NodeId to, Visit&& visit) const {
    if (from == to) return;
    if (limits_injection()) visit(injection_link(from));
    if (const auto* way = detour(from, to)) {
      LinkId last = LinkId::none();
      for (const LinkId hop : *way)
        grid_.visit_link(grid_.link_source(hop), grid_.link_dimension(hop), grid_.link_is_forward(hop), last, visit);
    } else {
      grid_.for_each_link(router(from), router(to), visit);
    }
    if (limits_ejection()) visit(ejection_link(to));
  }

  /// The bandwidth, in bytes/s, that a message gets on an empty machine: that of the narrowest link on its route, or of
  /// the loopback; infinite where it uses no link.
  double route_bandwidth(NodeId from, NodeId to) const { return path(from, to).bandwidth; }

 private:
  static constexpr double no_limit = std::numeric_limits<double>::infinity();

  Path path_link_by_link(NodeId from, NodeId to) const;
  std::int32_t route_length(NodeId from, NodeId to) const;
  void number_nodes();
  void set_state(const std::vector<NodeSet>& sets, NodeState state);
  void find_compute_nodes();
  void find_failures();
  const std::vector<LinkId>* detour(RouterId from, RouterId to) const;
  const std::vector<LinkId>* detour(NodeId from, NodeId to) const {
    return detours_ == nullptr ? nullptr : detour(router(from), router(to));
  }

  Description description_;
  Grid grid_;
  core::IdVector<NodeId, RouterId> routers_;
  core::IdVector<RouterId, NodeId> first_nodes_;
  std::vector<NodeId> compute_nodes_;
  core::IdVector<NodeId, NodeState> states_;
  std::shared_ptr<const Detours> detours_;  ///< null where nothing failed
};

/// The machine that a PLATFORM argument names: an inline spec (`mesh:8x8`, `torus:4x4x4,bw=1.25GBps`), a preset
/// (`bigben`), or an XML file; each may go on with properties: `bigben:z.wrap=mesh`. Throws InputError.
Machine make_machine(std::string_view text);

/// The machine as plain SimGrid XML (DTD 4.1) for smpirun and Engine::load_platform: hosts `node-0`, `node-1`, ...
/// SimGrid's own torus wraps every dimension and has one bandwidth and one latency; anything else is written as the
/// ways along each dimension, from which SimGrid puts our routes together. Throws InputError, with the reason, when
/// that takes more than 10 million entries.
std::string export_simgrid_xml(const Machine& machine);

}  // namespace toroid::platforms
