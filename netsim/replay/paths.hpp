#pragma once
// What routes do to messages. Programs send to the same few partners again and again, so what was worked out lately is
// kept: a look at a table instead of three walks along the route.

#include <algorithm>
#include <bit>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::netsim {

/// A message that is alone on its route has `hops` steps to make and takes `latency` seconds and its bytes over
/// `bandwidth`.
struct Path {
  std::int32_t hops = 0;
  double latency = 0, bandwidth = 0;
};

/// The machine must outlive it.
class Paths {
 public:
  Paths(const platforms::Machine& machine, std::size_t ranks)
      : machine_(machine), slots_(std::bit_ceil(std::clamp<std::size_t>(slots_per_rank * ranks, 1, most_slots))) {}

  const Path& between(platforms::NodeId from, platforms::NodeId to) {
    auto& slot =
        slots_[(static_cast<std::uint32_t>(from) * 0x9e3779b1U + static_cast<std::uint32_t>(to)) & (slots_.size() - 1)];
    if (slot.from != from || slot.to != to)
      slot = {from, to, {machine_.hops(from, to), machine_.latency(from, to), machine_.route_bandwidth(from, to)}};
    return slot.path;
  }

 private:
  static constexpr std::size_t slots_per_rank = 16, most_slots = 65536;
  struct Slot {
    platforms::NodeId from = -1, to = -1;
    Path path;
  };
  const platforms::Machine& machine_;
  std::vector<Slot> slots_;
};

}  // namespace toroid::netsim
