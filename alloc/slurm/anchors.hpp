#pragma once
// Where the boxes of a placement may begin on a torus: the anchors of Slurm's topology/torus3d.

#include "alloc/geometry/boxes.hpp"

namespace toroid::alloc {

using platforms::Placement;

/// The anchors of a placement along one dimension.
struct AnchorAxis {
  std::int32_t length = 1;         ///< the length of the box
  std::vector<std::int32_t> at{};  ///< where boxes begin, from the seed on in steps of the spacing, modulo the extent
  /// By anchor, which anchors of the next larger placement have boxes that overlap this one's.
  std::vector<std::vector<std::int32_t>> overlaps{};
};

/// The anchors of a placement on a torus of x, y and z: all triples of those of its axes, that of z counting fastest.
struct Anchors {
  std::array<AnchorAxis, 3> axes{};
  std::int32_t size = 1;     ///< cells of a box
  bool may_overlap = false;  ///< whether two boxes of that size may overlap, as Slurm decides it
  // By anchor:
  std::vector<std::int32_t> empty{};    ///< cells without a node
  std::vector<std::int64_t> weights{};  ///< largest weight of a node

  std::int32_t count() const {
    std::size_t product = 1;
    for (const auto& axis : axes) product *= axis.at.size();
    return static_cast<std::int32_t>(product);
  }
  /// The box at an anchor, in the torus that stands at `torus` along a machine's fourth dimension.
  Box box(std::int32_t anchor, std::int32_t torus) const;
};

/// The anchors of a torus' placements, smaller boxes first, in the order of the list where sizes are equal. `extents`
/// are those of the torus.
std::vector<Anchors> anchors_of(std::vector<Placement> placements, const Placement::Extents& extents);

/// The first of the placements from `placement` on that is larger than that one; the number of them if there is none.
std::size_t next_larger(const std::vector<Anchors>& placements, std::size_t placement);

}  // namespace toroid::alloc
