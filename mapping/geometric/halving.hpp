#pragma once
// Matching the ranks of a grid with nodes by halving both again and again (Leung et al., PPoPP'14; Deveci et al.,
// IPDPS'14).

#include <vector>

#include "mapping/geometric/job_grid.hpp"

namespace toroid::mapping {

/// Positions of the slots that are to be matched, one for each rank.
struct Points {
  std::size_t dimensions;
  std::vector<std::int32_t> extents;      ///< of the dimensions; coordinates are from 0 to extent - 1
  std::vector<std::int32_t> coordinates;  ///< of a slot one after the other
  std::vector<std::int32_t> slots;        ///< which slot the i-th point is

  /// The slots of `slots` where they are on the machine.
  Points(const SlotHops& hops, std::vector<std::int32_t> of_slots);

  std::int32_t coordinate(std::size_t i, std::size_t d) const { return coordinates[i * dimensions + d]; }
};

/// How cuts are made. Ranks are cut at the middle of the longest axis of their box; of axes that are as long, the first
/// in `axes`. Slots are cut into parts of the same sizes.
struct Cuts {
  std::vector<std::size_t> axes;  ///< of the grid, all of them, each once
  /// The dimension of the machine that slots are cut along where ranks are cut along an axis. Empty: slots are cut
  /// along the dimension in which they spread most.
  std::vector<std::size_t> dimension_of_axis;
  /// Whether the upper half of a cut is turned round, ranks along the axis and slots along the dimension that was cut.
  /// If both are cut along the same direction again and again nothing changes. If not, ranks on both sides of the cut
  /// come to mirrored places, as in a folded sheet.
  bool fold = false;
};

/// The slot of each rank.
SlotOf match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts);

}  // namespace toroid::mapping
