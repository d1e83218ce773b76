#include "platforms/router.hpp"

#include <algorithm>
#include <limits>

namespace toroid::platforms {

std::uint64_t Router::headers(std::uint64_t bytes) const {
  const auto data = static_cast<std::uint64_t>(packet_bytes), header = static_cast<std::uint64_t>(header_bytes);
  const auto packets = std::max<std::uint64_t>(1, bytes / data + (bytes % data > 0 ? 1 : 0));
  std::uint64_t all = 0;
  return __builtin_mul_overflow(packets, header, &all) ? std::numeric_limits<std::uint64_t>::max() : all;
}

template <>
const Words<Routing>& words() {
  static const Words<Routing> all{{"dimension-order", Routing::dimension_order}, {"adaptive", Routing::adaptive}};
  return all;
}

template <>
const Words<Ties>& words() {
  static const Words<Ties> all{{"rule", Ties::rule}, {"split", Ties::split}};
  return all;
}

template <>
const Words<Rings>& words() {
  static const Words<Rings> all{{"classes", Rings::classes}, {"bubble", Rings::bubble}};
  return all;
}

template <>
const Words<Arbitration>& words() {
  static const Words<Arbitration> all{{"round-robin", Arbitration::round_robin}, {"age", Arbitration::age}};
  return all;
}

template <>
const Words<Order>& words() {
  static const Words<Order> all{{"pair", Order::pair}, {"node", Order::node}, {"shared", Order::shared}};
  return all;
}

}  // namespace toroid::platforms
