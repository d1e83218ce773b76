#pragma once
// A network of routers with finite buffers, packet by packet: virtual cut-through. A packet takes a link once the
// channel at its other end has room for all of it, and holds the link until it has gone over completely; it goes on
// from the next router as soon as its head is there. What leaves a channel gives the room back to the router before,
// by a credit that takes as long as the link. Each output chooses among all channels that have a packet for it first in
// line. The crossbar may limit how many channels of an input leave at once; nothing else in a router is short.
//
// A tick is done in two parts: first all its events, then the nodes and outputs that these have changed. What the order
// of the events, which is always the same, does decide: which of several packets that come at the same tick is the
// older one, or the first in a channel, which of two outputs gets a packet that may take either, and what is told
// first. There are two events for a hop, the arrival of the head and the end of the transfer: the credit comes with the
// arrival where the links are equally long. Of the last hop there is only the latter, if nobody is in the packet's way.
//
// This is what a fabric remembers, and what is done once for each message. What is done for every packet is in
// switching.hpp.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/huge_pages.hpp"
#include "core/pool.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/packet/layout.hpp"
#include "netsim/packet/list.hpp"
#include "netsim/packet/records.hpp"
#include "netsim/packet/routes.hpp"
#include "netsim/packet/wheel.hpp"

namespace toroid::netsim::packet {

class Fabric {
 public:
  using MessageId = std::uint32_t;

  /// Makes the fabric of a machine. What is given by reference must outlive it. Throws InputError as Layout does.
  static std::unique_ptr<Fabric> make(const Machine& machine, const Options& options, LinkUsage& usage);
  virtual ~Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// The options, with the buffers that channels have.
  const Options& options() const { return options_; }
  const Layout& layout() const { return layout_; }
  double tick_seconds() const { return layout_.tick_seconds(); }
  Tick now() const { return wheel_.now(); }
  /// Whether nothing is left to happen.
  bool idle() const { return wheel_.empty(); }
  /// The tick at which something happens next, or `never`.
  Tick next() const { return wheel_.next(); }
  /// Restarts the ticks, with tick 0 at `time`. Called only when idle().
  void begin_anew(const Time& time);
  Time time_of(Tick tick) const { return epoch_ + Time(static_cast<double>(tick) * tick_seconds()); }
  /// The first tick that is not before a time, or `never` if that is too far away to be counted.
  Tick first_from(const Time& time) const;
  /// The first tick that is after a time, or `never` if that is too far away to be counted.
  Tick first_after(const Time& time) const;

  /// Lets a node send a message from `time` on, which is not before now(), packet by packet in turn with its other
  /// messages.
  MessageId send(NodeId from, NodeId to, std::uint64_t bytes, const Time& time);
  /// Drops a message: its packets that have not left their node never will, and nobody is told of it any more.
  void drop(MessageId id);
  /// Lets everything happen that happens before `end`.
  virtual void run(Tick end) = 0;
  /// Lets things happen before `end` until has_news().
  virtual void run_to_news(Tick end) = 0;
  /// The messages that have left their node, or, for arrived(), have arrived, since the list was last cleared. Messages
  /// that have arrived are forgotten.
  std::vector<MessageId>& left() { return left_; }
  std::vector<MessageId>& arrived() { return arrived_; }
  bool has_news() const { return !left_.empty() || !arrived_.empty(); }

  /// Tells the usage what the links have carried.
  void report();
  /// How often a packet has left a router.
  std::uint64_t hops() const { return hops_; }

 protected:
  Fabric(const Machine& machine, const Options& options, LinkUsage& usage, Layout layout);

  /// Whether packets are bound to a channel of the next link before it has room, as they can go nowhere else.
  static bool binds(const Options& options) {
    return options.routing == Routing::dimension_order && options.rings == Rings::classes;
  }

  void open_crossbars();

  enum class Kind : std::uint8_t { arrival, transferred, credit, request, injected, delivered, wake, ejected };

  static constexpr unsigned most_rows = in_order + most_classes;
  struct Place {
    std::uint32_t router, channel;
  };
  /// The name of a channel where it begins: the output, and which of its channels it is.
  struct Origin {
    std::uint32_t output;
    std::uint16_t channel;
  };
  struct Choice {
    std::int32_t room = -1;
    std::uint32_t channel = 0;  ///< which of the port's channels
  };

  // Numbers of things.

  /// Divides a number by a divisor of at least 2, which is given as part(divisor): 2^64 divided by it, rounded up.
  static std::uint32_t quotient(std::uint32_t number, std::uint64_t part) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint32_t>((Wide{part} * number) >> 64U);
  }
  static std::uint64_t part(std::uint32_t divisor) { return std::numeric_limits<std::uint64_t>::max() / divisor + 1; }
  std::uint32_t channel_of(std::uint32_t router, std::uint32_t channel) const {
    return router * layout_.channels() + channel;
  }
  Place place(std::uint32_t channel) const {
    const auto router = quotient(channel, per_channel_);
    return {router, channel - router * layout_.channels()};
  }
  std::uint32_t output_of(std::uint32_t router, Layout::Port port) const { return router * layout_.ports() + port; }
  /// The far ends of an output's channels, one after another.
  std::size_t far_ends_of(std::uint32_t output) const { return std::size_t{output} * layout_.most_channels(); }
  FarEnd& far_end(std::uint32_t output, std::uint32_t channel) { return far_ends_[far_ends_of(output) + channel]; }
  FarEnd& far_end(const Origin& of) { return far_end(of.output, of.channel); }
  Origin origin(const Place& at) const {
    const auto port = layout_.port_of_channel(at.channel);
    const auto router = layout_.is_link(port) ? layout_.before(at.router, port) : at.router;
    return {output_of(router, port), static_cast<std::uint16_t>(at.channel - layout_.first_channel(port))};
  }
  const LinkKind& kind_in(const Place& at) const {
    return layout_.kind_in(at.router, layout_.port_of_channel(at.channel));
  }
  // Behind outputs where packets are not bound, and behind the ports of nodes: Output::free tells what has room.
  void take_room(Output& output, std::uint32_t channel, std::int32_t bytes) {
    auto& room = far_end(number(output), channel).room;
    room -= bytes;
    if (room <= 0) output.free &= ~bit(channel);
  }
  void give_room(Output& output, std::uint32_t channel, std::int32_t bytes) {
    far_end(number(output), channel).room += bytes;
    output.free |= bit(channel);
  }
  std::uint32_t number(const Output& output) const { return static_cast<std::uint32_t>(&output - outputs_.data()); }
  std::uint32_t router(const Output& output) const { return quotient(number(output), per_output_); }
  NodeId node(const Output& output) const { return layout_.node(router(output), output.port); }

  /// The bytes of a packet, and whether they are the last of its message, in 32 bits.
  static constexpr std::uint32_t last_bit = 1U << 31U;
  static std::uint32_t bytes_and_last(const Packet& packet) { return packet.bytes | (packet.last ? last_bit : 0); }
  static std::uint32_t bytes(const Channel& channel) { return channel.bytes_and_last & ~last_bit; }
  /// The room that a packet takes: some, if it has no bytes, so that a channel with all its room is known to be empty.
  std::int32_t charge(std::uint32_t bytes) const {
    return options_.rings == Rings::bubble ? options_.packet_bytes : std::max(1, static_cast<std::int32_t>(bytes));
  }

  void add(Tick delay, Kind kind, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0, std::uint16_t small = 0) {
    wheel_.add(wheel_.now() + delay, static_cast<std::uint16_t>(kind), a, b, c, small);
  }
  /// The tick of a time: first_from(), except for rounding. Throws SimulationError if it is too far away.
  Tick tick_at(const Time& time) const;

  static std::uint64_t bit(std::uint32_t channel) { return std::uint64_t{1} << channel % 64; }
  std::uint32_t next_bit(const std::uint64_t* row, std::uint32_t turn) const;
  std::uint32_t oldest(const std::uint64_t* row, std::uint32_t router) const;
  void leave_source(MessageId id);
  std::uint8_t choose_sides(const Message& message);
  /// Ends a message whose arrival is known, or that was dropped: once it has arrived, that is told and it is forgotten.
  void end(MessageId id);

  /// Whether an output holds its rows itself: they are few, and a word each.
  static bool has_few_rows(const Layout& layout) {
    return layout.channels() <= 64 && in_order + layout.classes() == rows_within;
  }

  /// A channel begins to leave a router: of its input one fewer may do so from now on.
  void take_crossbar(const Place& from) {
    const auto port = layout_.port_of_channel(from.channel);
    if (--may_leave_[output_of(from.router, port)] == 0) set_open(from.router, port, false);
  }
  void set_open(std::uint32_t router, Layout::Port port, bool open) {
    for (std::size_t w = 0; w < words_; ++w) {
      auto& word = open_[router * words_ + w];
      word = open ? word | of_port_[port * words_ + w] : word & ~of_port_[port * words_ + w];
    }
  }

  LinkId link(const Output& output) const;
  /// Books a packet that has gone over a link by now in the windows of the usage, before end_packet() counts it: a
  /// window that is over by now is told without it. Nearly all packets go within one window, which ticks alone tell.
  void book_windows(std::size_t carrier, std::uint32_t bytes, const LinkKind& kind) {
    if (usage_.windows() == 0) return;
    const Tick duration = kind.duration(bytes);
    if (wheel_.now() >= window_.end || wheel_.now() - duration < window_.begin)
      book_across_windows(carrier, bytes, duration);
  }
  void book_across_windows(std::size_t carrier, std::uint32_t bytes, Tick duration);
  void look_for_window();
  void tell_window();
  /// The number of a node's sending port among all carriers of packets: first come the outputs, then these ports.
  std::size_t carrier(NodeId from) const { return outputs_.size() + from.index(); }
  LinkId link(std::size_t carrier) const;
  std::size_t carriers() const { return outputs_.size() + sources_.size(); }
  std::uint64_t carried(std::size_t carrier) const {
    return carrier < outputs_.size() ? outputs_[carrier].bytes : sources_[carrier - outputs_.size()].bytes;
  }
  LinkUsage::Count count(std::size_t carrier) const;

  /// An array that every event looks into, here and there.
  template <class T>
  using Large = std::vector<T, core::HugePages<T>>;

  const Machine& machine_;
  Options options_;
  LinkUsage& usage_;
  Layout layout_;
  Routes routes_;
  std::uint64_t per_channel_, per_output_;  ///< part() of the channels and of the outputs of a router
  std::size_t rows_;                        ///< rows of an output
  std::size_t words_;                       ///< words of a row
  Wheel wheel_;
  Time epoch_;                            ///< when ticks began
  Large<Channel> channels_;               ///< by router and channel
  Large<std::uint16_t> wanted_;           ///< by router and channel: ports that adaptive heads may take
  Large<FarEnd> far_ends_;                ///< by output and channel of its port
  Large<Output> outputs_;                 ///< by router and port
  Large<std::uint64_t> waiting_;          ///< by output and row, where these are many or long
  std::vector<std::uint16_t> may_leave_;  ///< by router and port: how many more of its channels can leave, if limited
  std::vector<std::uint64_t> open_;  ///< by router: a bit for each channel of whose port one more can leave, likewise
  std::vector<std::uint64_t> of_port_;  ///< by port: a bit for each of its channels
  Large<Source> sources_;               ///< by node
  std::vector<std::uint64_t> flows_;    ///< by carrier: messages that have gone over it completely
  core::Pool<Packet, Large<Packet>> packets_;
  core::Pool<Message, Large<Message>> messages_;
  std::uint32_t births_ = 0;
  std::uint64_t hops_ = 0;
  List<Output*> changed_outputs_;
  List<NodeId> changed_sources_;
  std::vector<MessageId> left_, arrived_;
  std::vector<MessageId> done_;            ///< to be removed before the next step: events of this one may name them
  std::vector<std::uint64_t> candidates_;  ///< candidates of the output that chooses
  /// The window of the usage that the last packet came in, in ticks.
  struct {
    Tick begin = 0, end = 0;
    std::size_t number = 0;
    double seconds = 0;  ///< seconds of a window at that time
  } window_;
  std::vector<std::uint64_t> told_;  ///< by carrier: bytes that the windows of the usage have
};

}  // namespace toroid::netsim::packet
