#pragma once
// Which way packets go, and on which class of virtual channels, so that none waits for itself.
//
// Dimension-order routes take the dimensions one after another, so a link waits only for links of its own or of later
// dimensions. Along a mesh that makes no circle. Around a ring it does, which
//   - two classes of channels cut (Dally, Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection
//     Networks, IEEE Trans. Computers 36, 1987). On a torus a packet is of class 1 if its way goes over the end of the
//     ring, from its first hop there to its last: as it goes round half the ring at most, none of class 1 gets back to
//     where others of class 1 start. Where ways are longer (one-way rings, twisted tori), and for packets that may
//     leave the order, it is of class 1 only until it has gone over the end;
//   - or a bubble: who comes into a ring leaves room there for one more packet than himself (Puente et al., The
//     Adaptive Bubble Router, J. Parallel and Distributed Computing 61, 2001).
// Adaptive packets go any shortest way on channels of their own and can always fall back on the dimension-order way
// from where they are, with its classes (Duato, A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks,
// IEEE Trans. Parallel and Distributed Systems 4, 1993). Where something failed they take any shortest way that is
// left. Where the dimension-order way from a router fails, they fall back on the way round from there (Ways), which
// they then keep to the end: from its channels nobody comes back to others, so none waits there for himself.

#include <unordered_map>

#include "netsim/packet/layout.hpp"

namespace toroid::netsim::packet {

// Ways round what failed. Such a way is no dimension-order route, but a few parts of it are, one after another: packets
// that take it have classes of channels of their own for each part, and never go back to those of a part before.

class Ways {
 public:
  struct Hop {
    Layout::Port port;  ///< nowhere behind the last hop, where the way ends
    unsigned which;     ///< class
  };
  /// What `find` says instead of a hop: that the dimension-order route works, or that packets cannot go, as there is no
  /// way or it has more parts than there are classes for.
  static constexpr std::int32_t in_order = -1, blocked = -2;

  Ways(const Machine& machine, const Layout& layout) : machine_(machine), layout_(layout) {}

  /// The number of the first hop of the machine's way from a router to another; those of the others follow.
  std::int32_t find(std::uint32_t from, std::uint32_t to);
  const Hop& hop(std::int32_t number) const { return hops_[static_cast<std::size_t>(number)]; }

 private:
  std::int32_t lay(RouterId from, RouterId to);
  std::vector<unsigned> parts(const std::vector<LinkId>& links) const;
  bool wraps(const Hop& hop) const;

  const Machine& machine_;
  const Layout& layout_;
  std::vector<Hop> hops_;
  std::unordered_map<std::uint64_t, std::int32_t> found_;  ///< directions by from and to
};

/// A stretch of a dimension-order route, along one dimension.
struct Leg {
  std::int32_t hops = 0;
  std::uint8_t port = 0;
  bool over_end = false;  ///< whether it goes over the end of a ring
  bool is_tied = false;   ///< whether the other way round is as short, so that packets take both in turn
  bool over_end_else = false;
};

/// A message that is cut into packets. The fields that packets read on their way come first; with five legs they fill a
/// cache line.
struct alignas(64) Message {
  std::uint8_t leg_count = 0;
  std::uint8_t exit = 0;      ///< port of the target
  bool all_sent = false;      ///< whether all is sent; a message without bytes is one packet without bytes
  bool dropped = false;       ///< whether nobody waits for it any more
  std::uint32_t packets = 0;  ///< packets whose arrival is not known yet, those not sent among them
  std::uint32_t target = 0;   ///< router
  std::uint32_t next = 0;     ///< next message of those that its node sends in turn
  Tick arrives = 0;           ///< the tick at which the last byte of the other packets arrives
  std::array<Leg, platforms::max_dimensions> legs = {};  ///< legs of the dimension-order route
  NodeId from{}, to{};
  std::uint64_t unsent = 0;           ///< bytes
  bool splits = false;                ///< some leg is tied
  std::int32_t way = Ways::in_order;  ///< the first hop of a way round what failed, instead of the legs
};

struct alignas(32) Packet {  // half a line of the cache
  std::uint32_t next = 0;    ///< the packet behind it in its channel, unless it is the last
  std::uint32_t message;     ///< number
  std::uint32_t bytes;
  std::int32_t left = 0;      ///< hops of its present leg; on a way round, the number of its next hop
  Tick came = 0;              ///< the tick at which its head came in
  std::uint32_t birth = 0;    ///< its place among all packets, in the order in which they were sent
  std::uint8_t ties = 0;      ///< a bit for each half-way: whether it goes against the rule
  std::uint8_t place = 0;     ///< number of legs of its message that it has begun
  std::uint8_t port = 0;      ///< port of the present leg
  bool over_end : 1 = false;  ///< class 1
  bool last : 1 = false;      ///< whether it is the last of its message
  bool detours : 1 = false;   ///< whether it is on a way round what failed
};

static_assert(sizeof(Packet) == 32);

/// Where a packet wants to go from a router.
struct Want {
  Layout::Port port;       ///< the port on the dimension-order way, or on the way round
  unsigned which;          ///< the packet's class there
  std::uint32_t adaptive;  ///< a bit for each port on any shortest way; 0: it keeps to that way
  bool exits = false;      ///< whether after that hop it goes to its node; may be false where that is hard to tell
};

class Routes {
 public:
  Routes(const Machine& machine, const Layout& layout, const Options& options);

  /// Makes a message to another node. Throws InputError if its way has more parts than there are classes for.
  Message message(NodeId from, NodeId to, std::uint64_t bytes);
  /// Where a packet wants to go that is first in a channel into a router.
  Want next(Packet& packet, const Message& message, std::uint32_t router, Layout::Channel channel) {
    if (packet.detours) return detour(packet, message);
    return adaptive_ ? adaptive(message, router, channel) : ordered(packet, message, channel);
  }
  /// Notes that a packet has come into a router by a channel of a link.
  void come(Packet& packet, const Message& message, std::uint32_t router, Layout::Channel channel) {
    if (packet.detours) return void(++packet.left);
    if (adaptive_) return begin_detour(packet, message, router, channel);
    const auto port = layout_.port_of_channel(channel);
    --packet.left;
    if (packet.over_end && rings_[port / 2].class_ends && layout_.crosses(layout_.before(router, port), port))
      packet.over_end = false;
  }
  /// Whether a packet may take the link only where there is room for two, as it comes into a ring there.
  bool needs_bubble(Layout::Port port, unsigned which) const { return bubble_ && which == 1 && rings_[port / 2].wraps; }

 private:
  /// The properties of a dimension.
  struct Ring {
    bool wraps, is_twisted;
    bool class_ends;  ///< class 1 ends where the way goes over the end
    bool splits;      ///< packets that go half round take either way
    std::int32_t zone;  ///< see platforms::zone()
  };
  /// Whether packets that go `hops` hops along a dimension may go either way round.
  bool is_tied(std::size_t d, std::int32_t hops) const {
    return rings_[d].splits && 2 * hops == grid_.dimension(d).extent;
  }
  /// Notes whether an adaptive packet has come in by a channel of a way round what failed.
  void begin_detour(Packet& packet, const Message& message, std::uint32_t router, Layout::Channel channel) {
    if (!failures_ || !layout_.is_of_a_way(channel)) return;
    packet.detours = true;
    packet.left = 1 + ways_.find(layout_.before(router, layout_.port_of_channel(channel)), message.target);
  }
  /// Whether an adaptive packet may take a link: it works, and there is a way on.
  bool leads_on(std::uint32_t router, Layout::Port port, std::uint32_t target) {
    return !failures_ || (machine_.link_exists(layout_.link(router, port)) &&
                          ways_.find(layout_.beyond(router, port), target) != Ways::blocked);
  }
  bool goes_over_end(RouterId router, std::size_t d, std::int32_t steps) const;
  bool is_beyond(std::size_t d, std::int32_t coordinate) const {
    return coordinate < 0 || coordinate >= grid_.dimension(d).extent;
  }
  Want detour(const Packet& packet, const Message& message) const {
    const auto& hop = ways_.hop(packet.left);
    return {hop.port == Layout::nowhere ? message.exit : hop.port, hop.which, 0};
  }
  Want ordered(Packet& packet, const Message& message, Layout::Channel channel) const {
    if (packet.left == 0 && !turn(packet, message)) return {message.exit, 0, 0};
    const Layout::Port port = packet.port;
    return {port, class_of(port / 2, port, layout_.port_of_channel(channel), packet.over_end), 0,
            packet.left == 1 && packet.place == message.leg_count};
  }
  Want adaptive(const Message& message, std::uint32_t router, Layout::Channel channel);
  /// Lets a packet begin its next leg. Returns false if it has gone all of them.
  static bool turn(Packet& packet, const Message& message) {
    if (packet.place == message.leg_count) return false;
    const auto& leg = message.legs[packet.place++];
    packet.left = leg.hops;
    packet.port = leg.port;
    packet.over_end = leg.over_end;
    if (leg.is_tied && packet.ties % 2 != 0) {
      packet.port ^= 1U;
      packet.over_end = leg.over_end_else;
    }
    if (leg.is_tied) packet.ties /= 2;
    return true;
  }
  void lay_legs(Message& message, std::uint32_t from) const;
  /// With bubbles the classes are those that are on the ring, 0, and those that come into it, 1.
  unsigned class_of(std::size_t d, Layout::Port port, Layout::Port in, bool over_end) const {
    return bubble_ ? (rings_[d].wraps && port != in ? 1 : 0) : (over_end ? 1 : 0);
  }

  /// Whether all of so many hops from a router along a dimension work.
  bool works(RouterId at, std::size_t d, std::int32_t steps) const;

  const Machine& machine_;
  const platforms::Grid& grid_;
  const Layout& layout_;
  Ways ways_;
  bool adaptive_, bubble_, failures_;
  std::vector<std::size_t> order_;  ///< dimensions in the order in which adaptive packets fall back on them
  std::vector<Ring> rings_;  ///< rings by dimension
};

}  // namespace toroid::netsim::packet
