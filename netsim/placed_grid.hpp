#pragma once
// Where the members of a communicator stand in the machine, for collectives along the axes of their grid.

#include <span>
#include <vector>

#include "platforms/machine.hpp"
#include "workloads/collectives/member_grid.hpp"

namespace toroid::netsim {

/// The nodes of the members of a communicator, in the order of their numbers.
using MemberNodes = std::vector<platforms::NodeId>;

/// The grid of members on these nodes. Members that fill a block of the machine, or every so many places of one, are a
/// grid with its axes; all members may also be taken as one ring in the order of their numbers. Of the two, the one
/// counts with which an all-gather, alone on the machine, is sooner through the busiest links; the block if they are
/// equal. Without a wrap a ring along an axis comes back over the same links.
workloads::MemberGrid placed_grid(const platforms::Machine& machine, const MemberNodes& nodes);

/// What collectives along the axes of a grid take in the busiest links, phase by phase, when several groups of members
/// with such a grid have them at the same time.
struct GridCost {
  double gather = 0;    ///< seconds for each byte of an all-gather's result
  double exchange = 0;  ///< seconds for each byte that a rank has for all others in an all-to-all
};
GridCost grid_cost(const platforms::Machine& machine, std::span<const MemberNodes> groups,
                   const workloads::MemberGrid& grid);

}  // namespace toroid::netsim
