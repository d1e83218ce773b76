#pragma once
// What the routers and the network cards of a machine are like, as far as engines that simulate packets, or the order
// of messages, can tell.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::platforms {

/// The ways of packets.
enum class Routing : std::uint8_t {
  dimension_order,
  adaptive  ///< any shortest way, half round a ring as Ties say; packets can always fall back on dimension order
};
/// The way of packets that have to go half round a ring.
enum class Ties : std::uint8_t {
  rule,  ///< the way of the machine's dimension-order routes
  split  ///< both ways in turn, or, with adaptive routing, whichever is free
};
/// What keeps packets on a ring from waiting for each other.
enum class Rings : std::uint8_t {
  classes,  ///< packets that go over the end of the ring have virtual channels of their own
  bubble    ///< a packet enters a ring only where it leaves room for another one
};
enum class Arbitration : std::uint8_t {
  round_robin,
  age  ///< the packet that was sent first
};
/// The messages that travel one after another.
enum class Order : std::uint8_t {
  pair,   ///< messages from one node to the same other node
  node,   ///< all messages from one node
  shared  ///< none: all messages under way share the links
};

/// The values of such a type, each with the word that users know it by.
template <class Value>
using Words = std::vector<std::pair<std::string_view, Value>>;
template <class Value>
const Words<Value>& words();
template <>
const Words<Routing>& words();
template <>
const Words<Ties>& words();
template <>
const Words<Rings>& words();
template <>
const Words<Arbitration>& words();
template <>
const Words<Order>& words();

template <class Value>
std::string_view to_word(Value value) {
  for (const auto& [word, of] : words<Value>())
    if (of == value) return word;
  return {};
}

inline constexpr std::uint64_t most_header_bytes = 1 << 16;

/// The router of every node. A packet takes links, buffers and the ports of nodes for its data and its header.
struct Router {
  std::int32_t packet_bytes = 256;                      ///< most bytes of data in a packet
  std::int32_t header_bytes = 0;                        ///< bytes of a packet besides its data
  std::int32_t channels = 8;                            ///< virtual channels of each link
  std::optional<std::int32_t> buffer_bytes = {};        ///< buffer of each channel; if not set, what the links need
  std::optional<std::int32_t> injection_channels = {};  ///< channels from a node; if not set, as many as of a link
  std::optional<std::int32_t> crossbar = {};  ///< channels of an input that can leave at once; if not set, all of them
  Routing routing = Routing::dimension_order;
  Ties ties = Ties::rule;
  Rings rings = Rings::classes;
  Arbitration arbitration = Arbitration::round_robin;
  bool operator==(const Router&) const = default;

  /// The bytes of the headers of a message of so many bytes, 2^64 - 1 at most. A message without bytes is a packet,
  /// too.
  std::uint64_t headers(std::uint64_t bytes) const;
};

}  // namespace toroid::platforms
