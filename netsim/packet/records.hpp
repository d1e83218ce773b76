#pragma once
// What a fabric remembers of its channels, outputs and nodes. What is used together lies together, in as few bytes as
// it takes: on large machines most of the time goes into waiting for memory. Nothing that changes with every packet is
// an unsigned char: what is written into one might be anything, for all that compilers know.

#include <algorithm>
#include <array>
#include <cstdint>

#include "netsim/packet/wheel.hpp"
#include "platforms/grid.hpp"

namespace toroid::netsim::packet {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// A virtual channel that leads into a router, as that router knows it.
struct alignas(16) Channel {
  std::uint32_t head = nobody, tail = nobody;  ///< first and last packet
  // Of the head, once it has asked for its way on, or of what is leaving:
  std::uint32_t bytes_and_last = 0;
  std::uint32_t port : 8 = 0;     ///< the port that it wants in dimension order
  std::uint32_t which : 8 = 0;    ///< its class there
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

/// A port of a router where packets leave it, for a link or for a node, with the counts of what it has carried.
struct alignas(64) Output {  // a line of the cache
  /// Channels at the other end that may be taken: where packets are bound, those that none is bound to, or going to;
  /// elsewhere, and behind the port of a node, those with room.
  std::uint64_t free = ~std::uint64_t{0};
  std::array<std::uint64_t, rows_within> rows = {};  ///< the rows, if there are few, of a word each
  std::uint64_t bytes = 0;
  Tick busy = 0;             ///< ticks with at least one packet; while there is one, minus the present tick
  std::uint32_t beyond = 0;  ///< the first channel at the other end; of a node's port, the first one from the node
  std::uint16_t turn = 0;    ///< the input channel that comes first
  std::uint16_t idle = 0;    ///< how many more packets it can carry now
  std::uint16_t peak = 0;    ///< most packets at a time
  std::uint16_t kind = 0;    ///< kind of its link
  std::uint16_t port : 8 = 0;
  std::uint16_t channel_turn : 6 = 0;  ///< the channel at the other end that comes first
  std::uint16_t is_link : 1 = 0;
  std::uint16_t changed : 1 = 0;

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
  /// By dimension: packets that had two shortest ways along it, counted from a random number, so that nodes that do
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

}  // namespace toroid::netsim::packet
