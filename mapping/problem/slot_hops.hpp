#pragma once
// Where the slots of a job are on the grid of routers, and how far apart they are.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::mapping {

/// Coordinates of the routers of some slots, by index of slot. Dimensions of extent 1 are left out, so there may be
/// none; they are numbered from 0.
class SlotHops {
 public:
  /// Every slot is a node of `machine`, which must outlive this object; a node may stand several times.
  SlotHops(const platforms::Machine& machine, std::span<const platforms::NodeId> slots);

  std::size_t size() const { return size_; }
  std::size_t dimensions() const { return dimensions_.size(); }
  const platforms::Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  std::int32_t coordinate(std::size_t slot, std::size_t d) const { return coordinates_[slot * dimensions() + d]; }
  /// Whether routes are as long one way as the other.
  bool symmetric() const { return symmetric_; }

  /// Hops of the route, the same as Machine::hops, in O(dimensions) on a separable machine.
  std::int32_t operator()(std::size_t from, std::size_t to) const {
    if (!separable_) return machine_.hops(nodes_[from], nodes_[to]);
    const std::int32_t* a = coordinates_.data() + from * dimensions();
    const std::int32_t* b = coordinates_.data() + to * dimensions();
    std::int32_t sum = 0;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      const std::int32_t straight = b[d] - a[d];
      const std::int32_t steps = straight < 0 ? -straight : straight;
      sum += one_way(d) ? (straight < 0 ? period_[d] - steps : steps) : std::min(steps, period_[d] - steps);
    }
    return sum;
  }

  /// Hops from one slot to every slot, where routes are as long both ways: on a separable machine much faster than one
  /// by one.
  void from(std::size_t slot, std::vector<std::int32_t>& hops) const;

 private:
  bool one_way(std::size_t d) const { return !symmetric_ && dimensions_[d].wrap == platforms::Wrap::ring; }

  const platforms::Machine& machine_;
  std::vector<platforms::NodeId> nodes_;
  std::size_t size_;
  bool symmetric_, separable_;
  std::vector<platforms::Dimension> dimensions_;
  std::vector<std::int32_t> period_;  ///< after which a dimension repeats itself; of a mesh, so long that it never does
  std::vector<std::int32_t> coordinates_;   ///< of a slot one after the other
  std::vector<std::int32_t> by_dimension_;  ///< the same, of a dimension one after the other
};

/// Of up to 64 slots spread over the list, the one whose `count` nearest slots are the least hops away in all, there
/// and back. Ties go to the lower index.
std::size_t central_slot(const SlotHops& hops, std::size_t count);

/// Indices of `count` slots that are near each other: the nearest to the central_slot, in ascending order. Of slots as
/// near, the lower indices.
std::vector<std::int32_t> compact_slots(const SlotHops& hops, std::size_t count);

}  // namespace toroid::mapping
