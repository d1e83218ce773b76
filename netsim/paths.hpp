#pragma once
// What the ways between nodes cost. Programs send to the same few partners again and again, so what was worked out
// lately is kept: a look at a table instead of divisions and walks along routes.

#include <algorithm>
#include <bit>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::netsim {

/// The paths of a machine, with a cache of recent ones. The machine must outlive this, or change() be called before its
/// end.
class Paths {
 public:
  explicit Paths(const platforms::Machine& machine)
      : machine_(&machine),
        slots_(std::bit_ceil(std::min(slots_per_node * static_cast<std::size_t>(machine.node_count()), most_slots))) {}

  /// Turns to another machine with as many nodes.
  void change(const platforms::Machine& machine) { *this = Paths(machine); }

  const platforms::Path& between(platforms::NodeId from, platforms::NodeId to) {
    auto& slot = slots_[(from.index() * 0x9e3779b1U + to.index()) & (slots_.size() - 1)];
    if (slot.from != from || slot.to != to) slot = {from, to, machine_->path(from, to)};
    return slot.path;
  }

 private:
  static constexpr std::size_t slots_per_node = 16, most_slots = 65536;
  struct Slot {
    platforms::NodeId from = platforms::NodeId::none(), to = from;
    platforms::Path path;
  };
  const platforms::Machine* machine_;
  std::vector<Slot> slots_;
};

}  // namespace toroid::netsim
