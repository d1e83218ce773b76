#include "platforms/router.hpp"

namespace toroid::platforms {

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
