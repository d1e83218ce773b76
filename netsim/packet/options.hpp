#pragma once
// What the routers of a packet network are like.

#include <cstdint>

namespace toroid::netsim::packet {

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

struct Options {
  std::int32_t packet_bytes = 256;  ///< most bytes of data in a packet
  std::int32_t channels = 8;        ///< virtual channels of each link
  std::int32_t buffer_bytes = 0;    ///< buffer of each channel, at least a packet; 0: what the links need (Credits)
  std::int32_t injection_channels = 8;
  Routing routing = Routing::dimension_order;
  Ties ties = Ties::rule;
  Rings rings = Rings::classes;
  Arbitration arbitration = Arbitration::round_robin;
};

}  // namespace toroid::netsim::packet
