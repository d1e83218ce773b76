#include <algorithm>
#include <cmath>
#include <numeric>

#include "platforms/check.hpp"
#include "platforms/detours.hpp"
#include "platforms/names.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

Description checked(Description description) {
  for (std::size_t d = 0; d < description.dimensions.size(); ++d)
    if (description.dimensions[d].name.empty()) description.dimensions[d].name = dimension_name(d);
  description.cabling.resize(description.dimensions.size());
  check_machine(description, [&](const std::string&, const std::string& message) {
    throw core::InputError(description.name.empty() ? message : fmt::format("'{}': {}", description.name, message));
  });
  return description;
}

}  // namespace

Machine::Machine(Description description)
    : description_(checked(std::move(description))), grid_(description_.dimensions, description_.routing) {
  number_nodes();
  find_failures();
  find_compute_nodes();
}

void Machine::number_nodes() {
  first_nodes_.assign(static_cast<std::size_t>(grid_.size()), NodeId::none());
  for (const RouterId router : numbered_routers(description_, grid_)) {
    TOROID_ASSERT(first_nodes_[router] == NodeId::none());  // each router has one number
    first_nodes_[router] = NodeId(node_count());
    for (std::int32_t i = 0; i < description_.nodes_per_router; ++i) routers_.add(router);
  }
}

void Machine::find_failures() {
  if (description_.failed_links.empty() && description_.failed_routers.empty()) return;
  std::vector<LinkId> links;
  for (const auto& failed : description_.failed_links) {
    const auto named = links_named(failed);
    links.insert(links.end(), named.begin(), named.end());
  }
  std::vector<RouterId> routers;
  for (const auto& failed : description_.failed_routers) routers.push_back(router_named(failed));
  detours_ = std::make_shared<Detours>(grid_, links, routers);
}

/// In one pass, however much the sets overlap.
void Machine::set_state(const std::vector<NodeSet>& sets, NodeState state) {
  std::vector<NodeRange> ranges;
  for (const auto& set : sets)
    if (const auto* range = std::get_if<NodeRange>(&set))
      ranges.push_back(*range);
    else
      for (const auto& place : places_in(grid_.dimension_count(), std::get<Box>(set))) {
        const NodeId first = first_node(grid_.router_at(place));
        ranges.emplace_back(first, NodeId(first.value() + description_.nodes_per_router - 1));
      }
  std::ranges::sort(ranges);
  NodeId next = 0;
  for (const auto& [first, last] : ranges) {
    TOROID_ASSERT(first >= NodeId(0) && last < NodeId(node_count()));
    for (next = std::max(next, first); next <= last; ++next) states_[next] = state;
  }
}

void Machine::find_compute_nodes() {
  states_.assign(routers_.size(), NodeState::computes);
  set_state(description_.service, NodeState::service);
  set_state(description_.failed, NodeState::failed);
  for (const NodeId node : nodes())
    if (!router_works(router(node))) states_[node] = NodeState::failed;
  set_state(description_.absent, NodeState::absent);
  for (const NodeId node : nodes())
    if (computes(node)) compute_nodes_.push_back(node);
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(compute_nodes_));
  TOROID_ASSERT(std::cmp_equal(states_.size(), node_count()));
  if (compute_nodes_.empty()) core::fail_input("'{}': no node is left that can compute", name());
  if (detours_ == nullptr) return;
  std::vector<RouterId> routers;
  for (const NodeId node : compute_nodes_) routers.push_back(router(node));
  const auto [from, to] = detours_->find_cut(grid_, routers);
  if (from != to)
    core::fail_input("'{}': what failed cuts the machine: n{} cannot reach n{}", name(), first_node(from),
                     first_node(to));
}

bool Machine::router_works(RouterId router) const {
  return detours_ == nullptr || detours_->router_works(router);
}

const std::vector<LinkId>* Machine::detour(RouterId from, RouterId to) const {
  return detours_->find(grid_, from, to);
}

bool Machine::link_exists(LinkId link) const {
  if (is_of_grid(link)) return grid_.link_exists(link) && (detours_ == nullptr || detours_->link_works(link));
  return computes(node_of_port(link)) && (is_injection(link) ? limits_injection() : limits_ejection());
}

double Machine::link_bandwidth(LinkId link) const {
  TOROID_ASSERT_HEAVY(link >= LinkId(0) && link < LinkId(link_count()));
  if (is_of_grid(link)) return grid_.link_bandwidth(link);
  return is_injection(link) ? parameters().injection_bandwidth : parameters().ejection_bandwidth;
}

std::string Machine::link_name(LinkId link) const {
  if (!is_of_grid(link))
    return fmt::format("n{} {}", node_of_port(link), is_injection(link) ? "injection" : "ejection");
  const auto d = grid_.link_dimension(link);
  const auto from = router_name(grid_.link_source(link));
  if (grid_.dimension(d).shared) return fmt::format("line of {} ({})", from, grid_.name(d));
  return fmt::format("{} -> {} ({}{})", from, router_name(grid_.link_target(link)),
                     grid_.link_is_forward(link) ? '+' : '-', grid_.name(d));
}

std::string Machine::router_name(RouterId router) const {
  return description_.nodes_per_router == 1 ? fmt::format("n{}", first_node(router)) : fmt::format("r{}", router);
}

RouterId Machine::router_named(const RouterName& name) const {
  using By = RouterName::By;
  if (name.by == By::coordinates) return grid_.router_at(name.at);
  if (name.by == By::router) return RouterId(name.number);
  const auto of_node = router(NodeId(name.number));
  if (name.by == By::node || of_node == RouterId(name.number)) return of_node;
  if (name.number >= grid_.size())
    core::fail_input("'{}': '{}' is a node, on r{}; expected n{}", this->name(), name.number, of_node, name.number);
  core::fail_input("'{}': '{}' may be node {}, which is on r{}, or router {}; expected n{} or r{}", this->name(),
                   name.number, name.number, of_node, name.number, name.number, name.number);
}

std::vector<LinkId> Machine::links_named(const LinkName& name) const {
  using Kind = LinkName::Kind;
  if (name.kind == Kind::injection) return {LinkId(grid_.link_count() + name.from.number)};
  if (name.kind == Kind::ejection) return {LinkId(grid_.link_count() + node_count() + name.from.number)};
  const auto from = router_named(name.from);
  if (name.kind == Kind::line) {
    if (!grid_.dimension(*name.dimension).shared)
      core::fail_input("'{}': no line along {} is shared", this->name(), grid_.name(*name.dimension));
    return {grid_.shared_link(from, *name.dimension)};
  }
  const auto to = router_named(name.to);
  std::vector<LinkId> found;
  const auto add = [&](RouterId source, RouterId target, std::size_t d, bool forward) {
    if (!grid_.has_neighbour(source, d, forward) || grid_.neighbour(source, d, forward) != target) return;
    const auto link = grid_.dimension(d).shared ? grid_.shared_link(source, d) : grid_.link(source, d, forward);
    if (std::ranges::find(found, link) == found.end()) found.push_back(link);
  };
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d)
    for (const bool forward : {true, false}) {
      if (name.dimension && (*name.dimension != d || name.forward != forward)) continue;
      add(from, to, d, forward);
      if (name.kind == Kind::both_ways) add(to, from, d, !forward);
    }
  TOROID_ASSERT_HEAVY(std::ranges::all_of(found, [&](LinkId link) { return grid_.link_exists(link); }));
  if (found.empty())
    core::fail_input("'{}': failed-links: no link joins {} and {}{}", this->name(), to_string(name.from),
                     to_string(name.to), direction_text(description_, name));
  return found;
}

Coordinates Machine::hops_per_dimension(NodeId from, NodeId to) const {
  Coordinates hops{};
  if (const auto* way = detour(from, to))
    for (const LinkId link : *way) ++hops[grid_.link_dimension(link)];
  else
    hops = grid_.steps(router(from), router(to));
  for (auto& n : hops) n = std::abs(n);
  TOROID_ASSERT_HEAVY(std::accumulate(hops.begin(), hops.end(), 0) == this->hops(from, to));
  return hops;
}

bool Machine::symmetric() const {
  if (detours_ != nullptr) return false;
  const auto& all = description_.dimensions;
  return std::ranges::none_of(all, [](const Dimension& d) { return d.wrap == Wrap::ring && d.extent > 1; });
}

bool Machine::separable() const {
  const auto& all = description_.dimensions;
  return detours_ == nullptr && std::ranges::none_of(all, [](const Dimension& d) { return d.is_twisted(); });
}

/// The hops of the route, counted one by one.
std::int32_t Machine::route_length(NodeId from, NodeId to) const {
  std::int32_t length = 0;
  if (const auto* way = detour(from, to))
    for (const LinkId link : *way) length += router_works(grid_.link_target(link)) ? 1 : 0;
  else
    grid_.for_each_hop(router(from), router(to), [&](RouterId, std::size_t, bool) { ++length; });
  return length;
}

Path Machine::path(NodeId from, NodeId to) const {
  const auto& node = parameters();
  if (from == to) return {0, node.loopback_latency, node.loopback_bandwidth};
  if (detours_ != nullptr || grid_.has_exceptions()) return path_link_by_link(from, to);
  Path path{0, 0, std::min(node.injection_bandwidth, node.ejection_bandwidth)};
  const auto steps = grid_.steps(router(from), router(to));
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d) {
    if (steps[d] == 0) continue;
    const auto& dimension = grid_.dimension(d);
    path.hops += std::abs(steps[d]);
    path.latency += dimension.latency * std::abs(steps[d]);
    path.bandwidth = std::min(path.bandwidth, dimension.capacity());
  }
  path.latency += node.base_latency;
  TOROID_ASSERT_HEAVY(path.hops == route_length(from, to));
  return path;
}

Path Machine::path_link_by_link(NodeId from, NodeId to) const {
  Path path{hops(from, to), parameters().base_latency, no_limit};
  TOROID_ASSERT_HEAVY(path.hops == route_length(from, to));
  if (const auto* way = detour(from, to))
    for (const LinkId link : *way) path.latency += grid_.link_latency(link);
  else
    path.latency += grid_.latency(router(from), router(to));
  for_each_link(from, to, [&](LinkId link) { path.bandwidth = std::min(path.bandwidth, link_bandwidth(link)); });
  TOROID_ASSERT(path.bandwidth > 0 && path.latency >= 0);
  return path;
}

}  // namespace toroid::platforms
