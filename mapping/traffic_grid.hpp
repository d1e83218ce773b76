#pragma once
// The grid that a job's traffic goes along, whatever the numbers of its ranks.

#include "toroid/workloads/summary.hpp"

namespace toroid::mapping {

class TrafficGraph;

struct TrafficGrid {
  std::vector<std::int32_t> extents;  ///< each is 2 or more; a job of one rank has none
  std::vector<bool> periodic;         ///< whether the ends of an axis of 3 or more are neighbours
  /// The place of each rank, x + X*(y + Y*(z + ...)), where X, Y, ... are the extents. Where the numbers of the ranks
  /// follow the grid, the place of a rank is its number.
  core::IdVector<workloads::Rank, std::int32_t> place;
  double near_bytes = 0;  ///< share of the bytes that go between ranks at most one step apart along each axis

  /// The grid in words: `8x8x4, periodic in z, 97 % of bytes`.
  std::string text() const;
};

/// The grid of some traffic, or why there is none.
struct FoundGrid {
  bool exists = false;
  TrafficGrid grid;
  std::string reason;  ///< why there is none, such as `its links do not make paths or rings`
};

/// Finds the grid of stencils, without diagonal neighbours, with all of them, or with those along one diagonal (NPB's
/// BT and SP), open or periodic, from who exchanges how much with whom. Light edges do not count, and 80 % of the bytes
/// must go along the grid, so collectives do no harm. Jobs with places left empty have none. Among several grids that
/// the same traffic has (a ring of 4 is a square of 2x2), that one which the numbers of the ranks follow, or else, if
/// another axis is periodic or there would be more than three, rings of 4. For 4,096 ranks it takes some hundredths of
/// a second.
FoundGrid find_grid(const workloads::CommunicationMatrix& matrix);
FoundGrid find_grid(const TrafficGraph& graph);

}  // namespace toroid::mapping
