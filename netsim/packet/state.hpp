#pragma once
// What a fabric remembers of its routers and of the messages that are on their way. The parts of a fabric (part.hpp)
// look into the same arrays, each at the places of its own routers, so that several can work at a time. What is of no
// router, such as the list of messages, changes only while none of them works. Two kinds of fields of a message are the
// exception: those of its sender belong to the part that it is sent from, those of its arrival to the part that it goes
// to.

#include "core/pool.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/packet/routes.hpp"

namespace toroid::netsim::packet {

// What a fabric remembers of its channels, outputs and nodes. What is used together lies together, in as few bytes as
// it takes: on large machines most of the time goes into waiting for memory. Nothing that changes with every packet is
// an unsigned char: what is written into one might be anything, for all that compilers know.

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// A virtual channel that leads into a router, as that router knows it.
struct alignas(16) Channel {
  std::uint32_t head = nobody, tail = nobody;  ///< first and last packet
  // Of the head, once it has asked for its way on, or of what is leaving:
  std::uint32_t bytes_and_last = 0;
  std::uint32_t wants : 16 = 0;   ///< port in dimension order, and the class there in the high byte; bound: its place
  std::uint32_t bound : 8 = 0;    ///< the channel of the link that it is bound to
  std::uint32_t sending : 1 = 0;  ///< whether it is leaving
  std::uint32_t exits : 1 = 0;    ///< whether after that hop it goes to its node, whose port is unlimited
};

static_assert(sizeof(Channel) == 16);

/// A virtual channel that leads into a router, as the router or node before it knows it.
struct FarEnd {
  std::int32_t room = 0;           ///< free bytes, without those of a bound packet: below 0, that has to wait
  std::uint16_t turn = 0;          ///< the channel after the one that was bound to it last
  std::uint16_t is_from_node = 0;  ///< whether it begins at a node; the output says so, too, but credits do not read it
};

/// The rows of an output, which have a bit for each channel that has a packet for it: row 0 for packets on any shortest
/// way, then a row for each class of packets in dimension order. Without adaptive routing row 0 has packets that are
/// bound to channels with room.
inline constexpr unsigned any_way = 0, ready = 0, in_order = 1;
/// The number of rows that an output itself can hold.
inline constexpr unsigned rows_within = in_order + 2;

/// After so many draws among 2, 3, 4 or 6 links each has come first equally often, among 5 nearly.
inline constexpr std::uint8_t draws_in_all = 12;

/// A port of a router where packets leave it, for a link or for a node, with the counts of what it has carried.
struct alignas(64) Output {  // a line of the cache
  /// Channels at the other end that may be taken: where packets are bound, those that none is bound to, or going to;
  /// elsewhere, and behind the port of a node, those with room.
  std::uint64_t free = ~std::uint64_t{0};
  std::array<std::uint64_t, rows_within> rows = {};  ///< the rows, if there are few, of a word each
  std::uint64_t bytes = 0;
  Tick busy = 0;             ///< ticks with at least one packet; while there is one, minus the present tick
  std::uint32_t beyond = 0;  ///< the first channel at the other end; of a node's port, the first one from the node
  std::uint16_t turn = 0;    ///< the input channel that comes first, where packets are not bound
  std::uint16_t idle = 0;    ///< number of packets more that the output can carry now
  std::uint16_t peak = 0;    ///< most packets at a time
  std::uint16_t kind = 0;    ///< kind of its link
  std::uint16_t port : 8 = 0;
  std::uint16_t channel_turn : 6 = 0;  ///< the channel at the other end that comes first
  std::uint16_t is_link : 1 = 0;
  std::uint16_t changed : 1 = 0;
  std::uint16_t draws = 0;  ///< choices among links by packets that ask here in order (draws_in_all); or packets bound

  /// Begins to carry a packet; `lanes` are those of its link.
  void begin_packet(std::uint16_t lanes, Tick now) {
    if (idle == lanes) busy -= now;
    --idle;
    peak = std::max(peak, static_cast<std::uint16_t>(lanes - idle));
  }
  void end_packet(std::uint32_t packet_bytes, std::uint16_t lanes, Tick now) {
    bytes += packet_bytes;
    ++idle;
    if (idle == lanes) busy += now;
  }
};
static_assert(sizeof(Output) == 64);

/// The sending side of a node.
struct Source {
  std::uint32_t last = nobody;  ///< last of its messages, which form a ring: the first one is after it
  std::uint32_t output = 0;     ///< its port, which has the far ends of its channels
  std::int64_t room = 0;        ///< room of all its channels, in bytes
  std::uint16_t channel_turn = 0;
  bool sending = false, changed = false;
  std::uint64_t bytes = 0;  ///< bytes that it has sent
  Tick busy = 0;            ///< ticks in which it has sent; while it sends, minus the present tick
  /// Packets, by dimension, that had two shortest ways along it, counted from a random number, so that nodes that do
  /// the same do not all send the same way round at the same time.
  std::array<std::uint16_t, platforms::max_dimensions> tied = {};

  void begin_packet(Tick now) {
    sending = true;
    busy -= now;
  }
  void end_packet(std::uint32_t packet_bytes, Tick now) {
    bytes += packet_bytes;
    sending = false;
    busy += now;
  }
};

/// A window of the usage, in ticks.
struct Window {
  Tick begin = 0, end = 0;
  std::size_t number = 0;
  double seconds = 0;  ///< seconds of a window at that time
};

struct State {
  /// The state of the routers of a machine before anything happens. Throws InputError as Layout does.
  State(const Machine& on, const Options& given, LinkUsage& used);

  /// Whether an output holds its rows itself: they are few, and a word each.
  bool has_few_rows() const { return layout.channels() <= 64 && in_order + layout.classes() == rows_within; }
  std::uint32_t output_of(std::uint32_t router, Layout::Port port) const { return router * layout.ports() + port; }
  /// The number of a node's sending port among all carriers of packets: first come the outputs, then these ports.
  std::size_t carrier(NodeId from) const { return outputs.size() + from.index(); }
  std::size_t carriers() const { return outputs.size() + sources.size(); }
  /// The room of an empty channel.
  std::int32_t all_room(const FarEnd& end) const {
    return end.is_from_node != 0 ? options.injection_buffer_bytes : options.buffer_bytes;
  }
  /// Whether nothing is on its way: no node has anything to send, all channels are empty, and have all their room. For
  /// assertions: what is lost or counted twice anywhere shows here.
  bool is_at_rest() const;
  /// Takes a message that is not sent any more out of the ring of its node.
  void leave_source(std::uint32_t message);

  const Machine& machine;
  LinkUsage& usage;
  Layout layout;
  Options options;  ///< options with the buffers that channels have
  Routes routes;
  std::size_t rows;                          ///< rows of an output
  std::size_t words;                         ///< words of a row
  core::LargeVector<Channel> channels;       ///< channels by router and channel
  core::LargeVector<std::uint16_t> wanted;   ///< ports that adaptive heads may take, by router and channel
  core::LargeVector<FarEnd> far_ends;        ///< far ends by output and channel of its port
  core::LargeVector<Output> outputs;         ///< outputs by router and port
  core::LargeVector<std::uint64_t> waiting;  ///< rows by output, where these are many or long
  std::vector<std::uint16_t> may_leave;  ///< by router and port: how many more of its channels can leave, if limited
  std::vector<std::uint64_t> open;     ///< by router: a bit for each channel of whose port one more can leave, likewise
  std::vector<std::uint64_t> of_port;  ///< a bit for each channel of a port
  core::LargeVector<Source> sources;   ///< sending sides by node
  std::vector<std::uint64_t> flows;    ///< messages that have gone over a carrier completely
  core::Pool<Message> messages;
  Window window;  ///< the window that the last packet came in; changes between steps

 private:
  void lay_outputs();
  void lay_sources();
  void open_crossbars();
};

}  // namespace toroid::netsim::packet
