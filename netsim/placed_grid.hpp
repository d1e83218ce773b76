#pragma once
// Where the members of a communicator stand in the machine, for collectives along the axes of their grid.

#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace.hpp"
#include "workloads/collectives/member_grid.hpp"

namespace toroid::netsim {

/// The nodes of the members of a communicator, in the order of their numbers.
using MemberNodes = std::vector<platforms::NodeId>;

/// The grid of members on these nodes. Members that fill a block of the machine, or every so many places of one, are a
/// grid with its axes; all members may also be taken as one ring in the order of their numbers. Of the two, the one
/// counts with which an all-gather, alone on the machine, is sooner through the busiest links; the block if they are
/// equal. Without a wrap a ring along an axis comes back over the same links.
workloads::MemberGrid placed_grid(const platforms::Machine& machine, const MemberNodes& nodes);

/// The grids of the communicators of a program whose ranks have their nodes, each made when it is first asked for.
class PlacedGrids {
 public:
  using NodeOf = std::function<platforms::NodeId(workloads::Rank)>;
  /// Machine and trace must outlive this object.
  PlacedGrids(const platforms::Machine& machine, const workloads::Trace& trace, NodeOf node_of)
      : machine_(machine), trace_(trace), node_of_(std::move(node_of)) {}

  const workloads::MemberGrid& of(workloads::CommId comm);

 private:
  const platforms::Machine& machine_;
  const workloads::Trace& trace_;
  NodeOf node_of_;
  std::map<workloads::CommId, workloads::MemberGrid> grids_;
};

/// What the rings along the axes of a grid take in the busiest links when several groups of members with such a grid
/// have them at the same time.
std::vector<workloads::RingAxis> rings_of(const platforms::Machine& machine, std::span<const MemberNodes> groups,
                                          const workloads::MemberGrid& grid);

/// What collectives along the axes of a grid take in the busiest links, by what the rings along these axes take there
/// (rings_of()): the parts are those of the grid for long results, whatever else is on its links.
struct GridCost {
  double gather = 0;    ///< seconds for each byte of an all-gather's result
  double exchange = 0;  ///< seconds for each byte that a rank has for all others in an all-to-all
};
GridCost grid_cost(const workloads::MemberGrid& grid, const std::vector<workloads::RingAxis>& rings);

}  // namespace toroid::netsim
