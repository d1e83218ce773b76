#pragma once
// The mappings that are worth a look: what several mappers make of a job, each made better.

#include <cstdint>
#include <string>
#include <vector>

#include "mapping/costs/routes.hpp"
#include "mapping/mapper.hpp"

namespace toroid::mapping {

struct Candidate {
  std::string name;  ///< `mj, annealed, less load`
  Mapping mapping;
  double peak_seconds = 0;   ///< that the most loaded link needs for its bytes
  double hops_per_byte = 0;  ///< over all bytes between ranks
  double cost = 0;           ///< the same, hops along slow dimensions counting more
};

struct Effort {
  /// Distances and links that may be looked at, roughly: a step takes about 10 ns. Unless said otherwise what auto has
  /// where it simulates, too.
  double steps = 2e8;
  Routing routing = Routing::dimension_order;
};

/// By size and structure: the orders of the nodes, rcm, Scotch, mj and gsearch where the traffic has a grid,
/// multilevel, tabu for small jobs; the best of them annealed; and of what is best then less load on the most loaded
/// links. Where a mapping lets every message travel one link at most, nothing after it is tried. No mapping stands
/// twice. The least product of peak and cost comes first: load decides how long transfers take that are under way
/// together, hops decide their latency and how often they meet.
std::vector<Candidate> candidates(const MappingProblem& problem, const Effort& effort);

}  // namespace toroid::mapping
