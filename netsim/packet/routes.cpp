#include "netsim/packet/routes.hpp"

#include <ranges>

#include "toroid/core/error.hpp"

namespace toroid::netsim::packet {

Routes::Routes(const Machine& machine, const Layout& layout, const Options& options)
    : machine_(machine),
      grid_(machine.grid()),
      layout_(layout),
      ways_(machine, layout),
      adaptive_(options.routing != Routing::dimension_order),
      bubble_(options.rings == Rings::bubble),
      failures_(layout.has_ways_round()),
      order_(grid_.order()) {
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d) {
    const auto& dimension = grid_.dimension(d);
    const bool twisted = dimension.is_twisted();
    rings_.push_back({dimension.wrap != platforms::Wrap::mesh, twisted,
                      dimension.wrap == platforms::Wrap::ring || twisted,
                      options.ties == Ties::split && dimension.wrap == platforms::Wrap::torus && !twisted,
                      platforms::zone(options.routing, dimension)});
  }
  if (failures_) return;  // ways round what failed are parts in the machine's order
  std::ranges::stable_sort(order_, std::greater<>(), [&](std::size_t d) { return rings_[d].zone; });
}

Message Routes::message(NodeId from, NodeId to, std::uint64_t bytes) {
  Message message{.target = layout_.router(to), .from = from, .to = to, .unsent = bytes};
  message.exit = static_cast<std::uint8_t>(layout_.port(to));
  lay_legs(message, layout_.router(from));
  if (!failures_) return message;
  const auto way = ways_.find(layout_.router(from), message.target);
  if (way == Ways::blocked)
    core::fail_input(
        "engine packet: {}: the way from n{} to n{} round what failed turns back {} times, for which there are no "
        "channels: packets could block each other",
        machine_.name(), from, to, most_parts);
  if (!adaptive_) message.way = way;
  return message;
}

void Routes::lay_legs(Message& message, std::uint32_t from) const {
  const auto steps = grid_.steps(RouterId(from), RouterId(message.target));
  RouterId at(from);
  for (const auto d : grid_.order()) {
    if (steps[d] == 0) continue;
    auto& leg = message.legs[message.leg_count++];
    leg.hops = std::abs(steps[d]);
    leg.port = static_cast<std::uint8_t>(Layout::port_of(d, steps[d] > 0));
    leg.over_end = rings_[d].wraps && goes_over_end(at, d, steps[d]);
    leg.is_tied = is_tied(d, leg.hops) && works(at, d, -steps[d]);
    message.splits = message.splits || leg.is_tied;
    leg.over_end_else = rings_[d].wraps && goes_over_end(at, d, -steps[d]);
    if (!rings_[d].is_twisted && !failures_) continue;
    // A twisted dimension leads along others as well.
    for (std::int32_t hop = 0; hop < leg.hops; ++hop) at = grid_.neighbour(at, d, steps[d] > 0);
  }
}

bool Routes::works(RouterId at, std::size_t d, std::int32_t steps) const {
  for (std::int32_t hop = 0; failures_ && hop < std::abs(steps); ++hop) {
    if (!machine_.link_exists(grid_.link(at, d, steps > 0))) return false;
    at = grid_.neighbour(at, d, steps > 0);
  }
  return true;
}

Want Routes::adaptive(const Message& message, std::uint32_t router, Layout::Channel channel) {
  Want want{Layout::nowhere, 0, 0};
  const auto offer = [&](Layout::Port port) {
    if (leads_on(router, port, message.target)) want.adaptive |= 1U << port;
  };
  std::int32_t zone = 0;
  std::int32_t hops = 0, first_end = 0;  // where the first stretch in order leads to, in its dimension
  for (const auto d : std::views::reverse(order_)) {
    const auto here = layout_.coordinate(router, d);
    const auto steps = grid_.steps(d, here, layout_.coordinate(message.target, d));
    if (steps == 0) continue;
    want.port = Layout::port_of(d, steps > 0);
    hops += std::abs(steps);
    first_end = here + steps;
    if (rings_[d].zone < zone) continue;
    if (rings_[d].zone > std::exchange(zone, rings_[d].zone)) want.adaptive = 0;
    offer(want.port);
    if (is_tied(d, std::abs(steps))) offer(want.port ^ 1U);
  }
  if (hops == 0) {
    want.port = message.exit;
    return want;
  }
  if (failures_)
    if (const auto way = ways_.find(router, message.target); way != Ways::in_order) {
      want.port = ways_.hop(way).port;
      want.which = ways_.hop(way).which;
      return want;
    }
  want.exits = hops == 1;
  const auto d = want.port / 2;
  // From an adaptive channel it comes into the ring anew.
  auto in = layout_.port_of_channel(channel);
  if (layout_.is_link(in) && channel >= layout_.first_channel(in) + layout_.adaptive(in).first) in = Layout::nowhere;
  want.which = class_of(d, want.port, in, rings_[d].wraps && is_beyond(d, first_end));
  return want;
}

bool Routes::goes_over_end(RouterId router, std::size_t d, std::int32_t steps) const {
  return is_beyond(d, layout_.coordinate(static_cast<std::uint32_t>(router.value()), d) + steps);
}

std::int32_t Ways::find(std::uint32_t from, std::uint32_t to) {
  const auto [entry, is_new] = found_.try_emplace(std::uint64_t{from} << 32U | to);
  if (is_new) entry->second = from == to ? in_order : lay(RouterId(from), RouterId(to));
  return entry->second;
}

std::int32_t Ways::lay(RouterId from, RouterId to) {
  const auto& grid = machine_.grid();
  std::vector<LinkId> links, ordered;
  machine_.for_each_link(machine_.first_node(from), machine_.first_node(to), [&](LinkId link) {
    if (machine_.is_of_grid(link)) links.push_back(link);
  });
  grid.for_each_link(from, to, [&](LinkId link) { ordered.push_back(link); });
  if (links == ordered) return in_order;
  const auto part = parts(links);
  if (links.empty() || part.back() >= most_parts) return blocked;
  const auto first = static_cast<std::int32_t>(hops_.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    hops_.push_back({Layout::port_of(grid.link_dimension(links[i]), grid.link_is_forward(links[i])), 2 + 2 * part[i]});
  // Within a part a packet is of the second class until it has gone over the end of a ring.
  bool goes_over = false;  // later in this run along a dimension
  for (std::size_t i = links.size(); i-- > 0;) {
    auto& hop = hops_[static_cast<std::size_t>(first) + i];
    if (i + 1 < links.size() && hops_[static_cast<std::size_t>(first) + i + 1].port != hop.port) goes_over = false;
    goes_over = goes_over || layout_.crosses(static_cast<std::uint32_t>(grid.link_source(links[i]).value()), hop.port);
    if (goes_over && wraps(hop)) ++hop.which;
  }
  hops_.push_back({Layout::nowhere, 0});
  return first;
}

/// The part of each hop. A new one begins where a way goes back to an earlier dimension or turns round in one.
std::vector<unsigned> Ways::parts(const std::vector<LinkId>& links) const {
  const auto& grid = machine_.grid();
  const auto place = [&](LinkId link) {
    return std::find(grid.order().begin(), grid.order().end(), grid.link_dimension(link)) - grid.order().begin();
  };
  std::vector<unsigned> all;
  unsigned part = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool same = i > 0 && place(links[i]) == place(links[i - 1]);
    if (i > 0 && (place(links[i]) < place(links[i - 1]) ||
                  (same && grid.link_is_forward(links[i]) != grid.link_is_forward(links[i - 1]))))
      ++part;
    all.push_back(part);
  }
  return all;
}

bool Ways::wraps(const Hop& hop) const {
  return machine_.grid().dimension(hop.port / 2).wrap != platforms::Wrap::mesh;
}

}  // namespace toroid::netsim::packet
