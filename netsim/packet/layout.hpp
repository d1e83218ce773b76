#pragma once
// A machine as its packets see it: ports with virtual channels, and how long things take in ticks. All routers have the
// same ports, those that lead nowhere included.
//
// Port 2d is that of dimension d forward, 2d + 1 backward, named by the way in which packets travel, where they come in
// as well as where they go out. Behind them come the ports of the router's nodes: injection coming in, ejection going
// out. The virtual channels that come into a router are numbered port by port.

#include "netsim/packet/wheel.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim::packet {

// What the routers of a packet network are like, with everything that follows from the machine or from its links.

using platforms::Arbitration;
using platforms::Rings;
using platforms::Routing;
using platforms::Ties;

struct Options {
  std::int32_t packet_bytes = 256;  ///< most bytes of a packet, its header included, as those of messages are
  std::int32_t channels = 8;        ///< virtual channels of each link
  std::int32_t buffer_bytes = 0;    ///< buffer of each channel, at least a packet; 0: what the links need (Credits)
  std::int32_t injection_channels = 8;
  std::int32_t injection_buffer_bytes = 0;  ///< buffer of each channel from a node: at least what that needs (Credits)
  std::int32_t crossbar = 0;                ///< channels of an input that can leave at once; 0: all of them
  Routing routing = Routing::dimension_order;
  Ties ties = Ties::rule;
  Rings rings = Rings::classes;
  Arbitration arbitration = Arbitration::round_robin;

  /// Whether packets are bound to a channel of the next link before it has room, as they can go nowhere else.
  bool binds() const { return routing == Routing::dimension_order && rings == Rings::classes; }
};

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

/// The properties that links of one kind share. An unlimited port takes no time.
struct LinkKind {
  double ticks_per_byte = 0;
  Tick latency = 0;
  std::uint16_t lanes = 1;  ///< parallel links: packets that it carries at a time
  bool operator==(const LinkKind&) const = default;

  Tick duration(std::uint32_t bytes) const { return static_cast<Tick>(bytes * ticks_per_byte + 0.5); }
};

/// Classes of channels for packets in dimension order, 0 and 1, and two more for each part of a way round what failed
/// (see Ways). Links have the channels of these besides the usual ones: what is elsewhere does not suffer from a
/// failure.
inline constexpr unsigned most_parts = 4, most_classes = 2 + 2 * most_parts;

/// A set of at most 64 virtual channels of a port, from `first` on.
struct ChannelSet {
  std::uint16_t first = 0, count = 0;
  std::uint64_t bits = 0;  ///< the set as bits, one for each channel

  ChannelSet() = default;
  ChannelSet(std::uint32_t first_one, std::uint32_t how_many)
      : first(static_cast<std::uint16_t>(first_one)),
        count(static_cast<std::uint16_t>(how_many)),
        bits(how_many == 0 ? 0 : (~std::uint64_t{0} >> (64U - how_many)) << first_one) {}
};

class Layout {
 public:
  using Port = std::uint32_t;
  using Channel = std::uint32_t;  ///< a virtual channel among those that lead into a router
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// The machine must outlive the layout. Throws InputError, with the reason, on a machine that cannot be simulated by
  /// packets.
  Layout(const Machine& machine, const Options& options);

  double tick_seconds() const { return tick_; }
  std::uint32_t routers() const { return routers_; }
  Port ports() const { return link_ports_ + nodes_; }
  bool is_link(Port port) const { return port < link_ports_; }
  static Port port_of(std::size_t d, bool forward) { return static_cast<Port>(2 * d + (forward ? 0 : 1)); }
  Channel channels() const { return channels_; }
  Channel first_channel(Port port) const { return first_channel_[port]; }
  /// The most channels of a port.
  Channel most_channels() const { return most_channels_; }
  Port port_of_channel(Channel channel) const { return port_of_channel_[channel]; }

  /// The number of a link of the machine.
  LinkId link(std::uint32_t router, Port port) const { return LinkId(router * link_ports_ + port); }
  /// The router that a link leads to, or nowhere.
  std::uint32_t beyond(std::uint32_t router, Port port) const { return beyond_[router * link_ports_ + port]; }
  /// The router that the link into a port comes from, or nowhere.
  std::uint32_t before(std::uint32_t router, Port port) const { return beyond(router, port ^ 1U); }
  std::uint16_t kind_number(std::uint32_t router, Port port) const {
    return kind_of_[router * kinds_per_router_ + port];
  }
  const LinkKind& kind(std::uint16_t number) const { return kinds_[number]; }
  /// The kinds of links between routers and of ports to nodes.
  const std::vector<LinkKind>& kinds() const { return kinds_; }
  /// Routers whose kinds differ, from 0 on: the first one, if all have the same.
  std::uint32_t kinds_of_routers() const { return kinds_per_router_ == 0 ? 1 : routers_; }
  const LinkKind& kind(std::uint32_t router, Port port) const { return kind(kind_number(router, port)); }
  /// The kind of the link by which packets come in at a port.
  const LinkKind& kind_in(std::uint32_t router, Port port) const {
    if (!is_link(port)) return injection_;
    return kind(kinds_per_router_ == 0 ? kind_of_[port] : kind_number(before(router, port), port));
  }
  const LinkKind& injection() const { return injection_; }
  bool limits_ejection() const { return limits_ejection_; }
  /// Whether the crossbar of a router keeps channels from leaving.
  bool limits_leaving() const { return limits_leaving_; }
  /// How many channels of a port can leave the router at once. Each of parallel links is an input of the crossbar, and
  /// a node's port is as many of them as it is links wide.
  std::uint16_t can_leave(Port port) const { return can_leave_[port]; }
  /// Whether the link of that port leads from one end of the dimension to the other.
  bool crosses(std::uint32_t router, Port port) const;
  std::int32_t coordinate(std::uint32_t router, std::size_t d) const { return coordinates_[router * dimensions_ + d]; }
  std::uint32_t router(NodeId node) const { return static_cast<std::uint32_t>(machine_.router(node).value()); }
  /// The port of a node on its router.
  Port port(NodeId node) const {
    return link_ports_ + static_cast<Port>(node - machine_.first_node(machine_.router(node)));
  }
  NodeId node(std::uint32_t router, Port port) const {
    return machine_.first_node(RouterId(router)) + static_cast<std::int32_t>(port - link_ports_);
  }

  unsigned classes() const { return classes_; }
  /// Whether something failed, so that packets may have to go round.
  bool has_ways_round() const { return classes_ > 2; }
  /// The channels of a link for packets of a class.
  const ChannelSet& ordered(Port port, unsigned which) const { return ordered_[classes_ * port + which]; }
  /// The channels of a link for packets on any shortest way.
  const ChannelSet& adaptive(Port port) const { return adaptive_[port]; }
  /// Whether a channel of a link is for packets on a way round what failed.
  bool is_of_a_way(Channel channel) const {
    const auto port = port_of_channel(channel);
    const auto place = channel - first_channel(port);
    return has_ways_round() && place >= ordered(port, 2).first && place < adaptive(port).first;
  }

 private:
  std::int32_t channels_of_ways(const platforms::Dimension& dimension) const;
  void number_ports(const Options& options);
  void measure(const Options& options);
  void divide_channels(const Options& options);
  void limit_leaving(const Options& options);
  std::uint16_t number_of(const LinkKind& kind);

  const Machine& machine_;
  std::uint32_t routers_, dimensions_, link_ports_, nodes_;
  Channel channels_ = 0, most_channels_ = 0;
  double tick_ = 0;  ///< seconds
  unsigned classes_;
  bool limits_ejection_, limits_leaving_ = false;
  std::size_t kinds_per_router_;  ///< 0: all have the same
  LinkKind injection_;
  std::vector<Channel> first_channel_;         ///< channels by port; the last element is the end
  std::vector<std::uint8_t> port_of_channel_;  ///< ports by channel
  std::vector<std::uint32_t> beyond_;          ///< far routers' channels by router and port of a link
  std::vector<std::int32_t> coordinates_;      ///< coordinates by router and dimension
  std::vector<LinkKind> kinds_;
  std::vector<std::uint16_t> kind_of_;    ///< kinds of links by router and port
  std::vector<std::uint16_t> can_leave_;  ///< number of channels that can leave at a time, by port
  std::vector<ChannelSet> ordered_;       ///< channels for packets in order, by port of a link and class
  std::vector<ChannelSet> adaptive_;      ///< channels for packets on any way, by port of a link
};

}  // namespace toroid::netsim::packet
