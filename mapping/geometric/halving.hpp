#pragma once
// Matching the ranks of a grid with nodes by halving both again and again (Leung et al., PPoPP'14; Deveci et al.,
// IPDPS'14).

#include <vector>

#include "mapping/geometric/job_grid.hpp"
#include "mapping/problem/points.hpp"

namespace toroid::mapping {

/// How cuts are made. Ranks are cut at the middle of the longest axis of their box; if several are equally long, of the
/// first in `axes`. Slots are cut into parts of the same sizes.
struct Cuts {
  std::vector<std::size_t> axes;  ///< all axes of the grid, each once
  /// For each axis along which ranks are cut, the dimension of the machine along which slots are cut. If it is empty,
  /// slots are cut along the dimension in which they spread most.
  std::vector<std::size_t> dimension_of_axis;
  /// Whether the upper half of a cut is turned round: its ranks along the axis, its slots along the dimension that was
  /// cut. If both are cut along the same direction again and again nothing changes. If not, ranks on both sides of the
  /// cut come to mirrored places, as in a folded sheet.
  bool fold = false;
};

/// The slot of each place of the grid; a place has the number of a rank.
Assignment match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts);

}  // namespace toroid::mapping
