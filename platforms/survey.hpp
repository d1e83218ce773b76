#pragma once
// A machine in figures.

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// The cut of a machine between the lower and the upper half of a dimension's coordinates.
struct Cut {
  std::size_t dimension = 0;
  std::int64_t links = 0;  ///< from the lower half to the upper one; shared lines count once
  double bandwidth = 0;    ///< bytes/s of those links
};

struct Survey {
  std::int32_t routers = 0;
  std::int64_t compute_nodes = 0, service_nodes = 0, absent_nodes = 0, failed_nodes = 0;
  struct Links {
    std::string dimension;
    std::int64_t count = 0;                       ///< directed, parallel ones counted each
    double bandwidth_min = 0, bandwidth_max = 0;  ///< bytes/s of one of them
  };
  std::vector<Links> links;  ///< per dimension
  /// Most hops between two nodes that compute. Where some routers have none, on more than 4,096 nodes, an upper bound:
  /// the sum of the most hops along each dimension.
  std::int32_t diameter = 0;
  double mean_hops = 0;     ///< over ordered pairs of different nodes that compute
  bool is_sampled = false;  ///< with failures on a large machine both come from 100,000 random pairs
  std::vector<Cut> cuts;    ///< one per dimension of extent 2 or more
  /// The cut with the least bandwidth: the bisection, if no cut that is not across a dimension is smaller. Null where
  /// there is a single router.
  const Cut* bisection() const;
};

/// In time linear in links and nodes.
Survey survey(const Machine& machine);

/// What stands on a router, as one letter: o computes, s service, . absent, x failed.
char symbol(const Machine& machine, RouterId router);

}  // namespace toroid::platforms
