#pragma once
// What the routers of a packet network are like, with everything that follows from the machine or from its links.

#include <cstdint>

#include "platforms/description.hpp"

namespace toroid::netsim::packet {

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
};

}  // namespace toroid::netsim::packet
