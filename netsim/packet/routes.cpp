#include "netsim/packet/routes.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/error.hpp"

namespace toroid::netsim::packet {

Routes::Routes(const Machine& machine, const Layout& layout, const Options& options)
    : machine_(machine),
      grid_(machine.grid()),
      layout_(layout),
      adaptive_(options.routing == Routing::adaptive),
      bubble_(options.rings == Rings::bubble),
      failures_(layout.classes() > 2) {
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d) {
    const auto& dimension = grid_.dimension(d);
    const bool twisted = dimension.is_twisted();
    rings_.push_back({dimension.wrap != platforms::Wrap::mesh, twisted,
                      dimension.wrap == platforms::Wrap::ring || twisted,
                      options.ties == Ties::split && dimension.wrap == platforms::Wrap::torus && !twisted});
  }
}

Message Routes::message(NodeId from, NodeId to, std::uint64_t bytes) const {
  Message message{.target = layout_.router(to), .from = from, .to = to, .unsent = bytes};
  message.exit = static_cast<std::uint8_t>(layout_.port(to));
  lay_legs(message, layout_.router(from));
  if (failures_) message.way = way_round(from, to);
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
    leg.is_tied = is_tied(d, leg.hops);
    message.splits = message.splits || leg.is_tied;
    leg.over_end_else = rings_[d].wraps && goes_over_end(at, d, -steps[d]);
    if (!rings_[d].is_twisted) continue;  // and leads along other dimensions as well
    for (std::int32_t hop = 0; hop < leg.hops; ++hop) at = grid_.neighbour(at, d, steps[d] > 0);
  }
}

/// Null where the dimension-order route works. It is cut into parts where it goes back to an earlier dimension or turns
/// round in one. Within a part a packet is of the second class of the part until it has gone over the end.
std::unique_ptr<Way> Routes::way_round(NodeId from, NodeId to) const {
  std::vector<LinkId> links, in_order;
  machine_.for_each_link(from, to, [&](LinkId link) {
    if (link.value() < grid_.link_count()) links.push_back(link);
  });
  grid_.for_each_link(machine_.router(from), machine_.router(to), [&](LinkId link) { in_order.push_back(link); });
  if (links == in_order) return nullptr;
  auto way = std::make_unique<Way>();
  const auto place = [&](LinkId link) {
    const auto& order = grid_.order();
    return std::find(order.begin(), order.end(), grid_.link_dimension(link)) - order.begin();
  };
  unsigned part = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool same = i > 0 && place(links[i]) == place(links[i - 1]);
    if (i > 0 && (place(links[i]) < place(links[i - 1]) ||
                  (same && grid_.link_is_forward(links[i]) != grid_.link_is_forward(links[i - 1]))))
      ++part;
    if (part == most_parts)
      core::fail_input(
          "engine packet: {}: the way from n{} to n{} round what failed turns back {} times, for which "
          "there are no channels: packets could block each other",
          machine_.name(), from, to, most_parts);
    way->hops.push_back(
        {Layout::port_of(grid_.link_dimension(links[i]), grid_.link_is_forward(links[i])), 2 + 2 * part});
  }
  bool goes_over = false;  // later in this run along a dimension
  for (std::size_t i = links.size(); i-- > 0;) {
    auto& hop = way->hops[i];
    if (i + 1 < links.size() && (way->hops[i + 1].port != hop.port)) goes_over = false;
    goes_over = goes_over || layout_.crosses(static_cast<std::uint32_t>(grid_.link_source(links[i]).value()), hop.port);
    if (goes_over && rings_[hop.port / 2].wraps) ++hop.which;
  }
  return way;
}

Want Routes::detour(const Packet& packet, const Message& message) const {
  const auto at = static_cast<std::size_t>(packet.left);
  if (at == message.way->hops.size()) return {message.exit, 0, 0};
  return {message.way->hops[at].port, message.way->hops[at].which, 0};
}

Want Routes::adaptive(const Message& message, std::uint32_t router, Layout::Channel channel) const {
  Want want{Layout::nowhere, 0, 0};
  std::int32_t hops = 0, first_end = 0;  // where the first stretch in order leads to, in its dimension
  for (auto at = grid_.order().rbegin(); at != grid_.order().rend(); ++at) {
    const auto d = *at;
    const auto here = layout_.coordinate(router, d);
    const auto steps = grid_.steps(d, here, layout_.coordinate(message.target, d));
    if (steps == 0) continue;
    want.port = Layout::port_of(d, steps > 0);
    want.adaptive |= 1U << want.port;
    if (is_tied(d, std::abs(steps))) want.adaptive |= 1U << (want.port ^ 1U);
    hops += std::abs(steps);
    first_end = here + steps;
  }
  if (hops == 0) {
    want.port = message.exit;
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

}  // namespace toroid::netsim::packet
