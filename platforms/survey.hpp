#pragma once
// A machine in figures, and nodes that fill a box of its grid.

#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {

/// The cut of a machine between the lower and the upper half of a dimension's coordinates.
struct Cut {
  std::size_t dimension = 0;
  std::int64_t links = 0;  ///< links from the lower half to the upper one; shared lines count once
  double bandwidth = 0;    ///< bytes/s of those links
};

struct Survey {
  std::int32_t routers = 0;
  std::int64_t compute_nodes = 0, service_nodes = 0, absent_nodes = 0, failed_nodes = 0;
  struct Links {
    std::string dimension;
    std::int64_t count = 0;                       ///< directed links, each of parallel ones counted
    double bandwidth_min = 0, bandwidth_max = 0;  ///< bytes/s of one of them
  };
  std::vector<Links> links;  ///< per dimension
  /// The most hops between two compute nodes. On more than 4,096 nodes, where some routers have no compute node, it is
  /// an upper bound: the sum of the most hops along each dimension.
  std::int32_t diameter = 0;
  double mean_hops = 0;     ///< mean over all ordered pairs of different compute nodes
  bool is_sampled = false;  ///< whether diameter and mean come from 100,000 random pairs: a large machine with failures
  std::vector<Cut> cuts;    ///< one per dimension of extent 2 or more
  /// The cut with the least bandwidth, null where there is a single router. It is the bisection unless a cut that is
  /// not across one dimension is smaller.
  const Cut* bisection() const;
};

/// Computes the figures of a machine, in time linear in links and nodes.
Survey survey(const Machine& machine);

/// What stands on a router, as one letter: o computes, s service, . absent, x failed.
char symbol(const Machine& machine, RouterId router);

/// Nodes at all combinations of some coordinates along each dimension: a box, or every so many places of one.
struct Block {
  std::vector<std::int32_t> extents;  ///< how many different coordinates there are, by dimension
  std::vector<std::size_t> node_at;   ///< the number of the node at each place, the first dimension fastest
};

/// The block that the nodes fill; nothing if they fill none, or two of them are on one router.
std::optional<Block> block_of(const Machine& machine, std::span<const NodeId> nodes);

}  // namespace toroid::platforms
