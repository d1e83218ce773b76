#include "netsim/packet/routes.hpp"

#include <cstdlib>

namespace toroid::netsim::packet {

Routes::Routes(const Machine& machine, const Layout& layout, const Options& options)
    : grid_(machine.grid()),
      layout_(layout),
      adaptive_(options.routing == Routing::adaptive),
      bubble_(options.rings == Rings::bubble),
      split_(options.ties == Ties::split) {}

Message Routes::message(NodeId from, NodeId to, std::uint64_t bytes) const {
  Message message{.from = from, .to = to, .target = layout_.router(to), .unsent = bytes};
  const auto source = layout_.router(from);
  message.steps =
      grid_.steps(RouterId(static_cast<std::int32_t>(source)), RouterId(static_cast<std::int32_t>(message.target)));
  return message;
}

Want Routes::next(Packet& packet, const Message& message, std::uint32_t router, Layout::Port in) const {
  return adaptive_ ? adaptive(message, router, in) : ordered(packet, message, router, in);
}

void Routes::leave(Packet& packet, std::uint32_t router, Layout::Port port) const {
  if (adaptive_ || !layout_.is_link(port)) return;
  --packet.left;
  if (packet.over_end && class_ends(port / 2) && layout_.crosses(router, port)) packet.over_end = false;
}

Want Routes::ordered(Packet& packet, const Message& message, std::uint32_t router, Layout::Port in) const {
  while (packet.left == 0) {
    if (packet.place == grid_.dimension_count()) return {layout_.port(message.to), 0, 0};
    const auto d = grid_.order()[packet.place++];
    const auto steps = tied(packet, d, message.steps[d]);
    packet.left = std::abs(steps);
    packet.forward = steps > 0;
    packet.over_end = wraps(d) && goes_over_end(router, d, steps);
  }
  const auto d = grid_.order()[packet.place - std::size_t{1}];
  const auto port = Layout::port_of(d, packet.forward);
  return {port, class_of(d, port, in, packet.over_end), 0};
}

Want Routes::adaptive(const Message& message, std::uint32_t router, Layout::Port in) const {
  Want want{layout_.port(message.to), 0, 0};
  for (auto at = grid_.order().rbegin(); at != grid_.order().rend(); ++at) {
    const auto d = *at;
    const auto steps = grid_.steps(d, layout_.coordinate(router, d), layout_.coordinate(message.target, d));
    if (steps == 0) continue;
    want.port = Layout::port_of(d, steps > 0);
    want.which = class_of(d, want.port, in, wraps(d) && goes_over_end(router, d, steps));
    want.adaptive |= 1U << want.port;
  }
  return want;
}

/// The steps as they are, or the other way if that is as short and it is its turn.
std::int32_t Routes::tied(Packet& packet, std::size_t d, std::int32_t steps) const {
  const auto& dimension = grid_.dimension(d);
  if (!split_ || dimension.wrap != platforms::Wrap::torus || dimension.is_twisted()) return steps;
  if (2 * std::abs(steps) != dimension.extent) return steps;
  const bool against = packet.ties % 2 != 0;
  packet.ties /= 2;
  return against ? -steps : steps;
}

/// With bubbles the classes are those that are on the ring, 0, and those that come into it, 1.
unsigned Routes::class_of(std::size_t d, Layout::Port port, Layout::Port in, bool over_end) const {
  if (!wraps(d)) return 0;
  return bubble_ ? (port == in ? 0 : 1) : (over_end ? 1 : 0);
}

bool Routes::goes_over_end(std::uint32_t router, std::size_t d, std::int32_t steps) const {
  const auto end = layout_.coordinate(router, d) + steps;
  return end < 0 || end >= grid_.dimension(d).extent;
}

}  // namespace toroid::netsim::packet
