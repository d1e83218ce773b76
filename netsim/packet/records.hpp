#pragma once
// What a fabric remembers of its channels, outputs and nodes. What is used together lies together, in as few bytes as
// it takes: on large machines most of the time goes into waiting for memory. Nothing that changes with every packet is
// an unsigned char: what is written into one might be anything, for all that compilers know.

#include <algorithm>
#include <cstdint>

#include "netsim/packet/wheel.hpp"

namespace toroid::netsim::packet {

inline constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// A virtual channel into a router, as that knows it.
struct Channel {
  std::uint32_t head = nobody, tail = nobody;  ///< packets
  std::uint32_t port : 8 = 0;                  ///< that the head wants, in order
  std::uint32_t which : 3 = 0;                 ///< its class there
  std::uint32_t sending : 1 = 0;               ///< a packet is leaving
  std::uint32_t is_full : 1 = 0;               ///< the head is as large as packets are, once it has asked
  std::uint32_t is_bound : 1 = 0;              ///< the head is
  std::uint32_t bound : 6 = 0;  ///< the channel of the link that the head, or what is leaving, is bound to
};

/// The same, as it is known where it comes from.
struct FarEnd {
  std::int32_t room = 0;   ///< bytes
  std::uint16_t turn = 0;  ///< of the channels there that bind to it; the last one is before it
};

/// What a link has carried, in the time of the wheel.
struct Carried {
  std::uint64_t bytes = 0, flows = 0;
  std::uint16_t active = 0, peak = 0;  ///< packets at a time
  Tick busy = 0;                       ///< ticks with at least one
  Tick since = 0;                      ///< it is so now

  void begin(Tick now) {
    if (active++ == 0) since = now;
    peak = std::max(peak, active);
  }
  void end(std::uint32_t packet_bytes, bool last, Tick now) {
    bytes += packet_bytes;
    flows += last ? 1 : 0;
    if (--active == 0) busy += now - since;
  }
};

/// A port of a router where packets leave it: for a link, or for a node.
struct alignas(64) Output {                // a line of the cache
  std::uint64_t free = ~std::uint64_t{0};  ///< channels at the other end that nothing is bound to
  std::uint32_t router = 0;
  std::uint32_t beyond = 0;  ///< the first channel at the other end; of a node's port, the first one from the node
  std::uint16_t turn = 0;    ///< the input channel that comes first
  std::uint16_t idle = 0;    ///< how many packets more it can carry now
  std::uint16_t kind = 0;    ///< of its link
  std::uint16_t port : 8 = 0;
  std::uint16_t channel_turn : 6 = 0;  ///< the channel at the other end that comes first
  std::uint16_t is_link : 1 = 0;
  std::uint16_t changed : 1 = 0;
  Carried carried;
};

/// A node as it sends.
struct Source {
  std::uint32_t last = nobody;  ///< of its messages, each of which knows the next; the first is behind it
  std::uint32_t first = 0;      ///< of its channels
  std::int64_t room = 0;        ///< bytes, of all its channels
  std::uint16_t channel_turn = 0;
  bool busy = false, changed = false;
  Carried carried;
};

}  // namespace toroid::netsim::packet
