#pragma once
// The mappings that are worth a look: what several mappers make of a job, each made better.

#include <cstdint>
#include <string>
#include <vector>

#include "mapping/costs/routes.hpp"
#include "mapping/mapper.hpp"

namespace toroid::mapping {

struct Candidate {
  std::string name;  ///< what was done, such as `mj, annealed, less load`
  Mapping mapping;
  double peak_seconds = 0;   ///< seconds that the most loaded link needs for its bytes
  double hops_per_byte = 0;  ///< mean over all bytes between ranks
  double cost = 0;           ///< the same, hops along slow dimensions counting more
};

struct Effort {
  /// How many distances and links may be looked at, roughly: a step takes about 10 ns. The default is what auto has
  /// for them where it simulates, too.
  double steps = 2.1e8;
  Routing routing = Routing::dimension_order;
};

struct Candidates {
  std::vector<Candidate> all;
  double steps = 0;  ///< about what it took to find them, in those of Effort
};

/// The candidates follow from the size and the structure of the job: the orders of the nodes, rcm, Scotch, mj and
/// gsearch where the traffic has a grid, multilevel, and tabu for small jobs. Then the best of these is annealed; then
/// comes the best of all with less load on the most loaded links, again and again. Where a mapping lets every message
/// travel one link at most, nothing after it is tried. If the program's collectives go along the grid of their members'
/// nodes, the traffic is other on other nodes: then all is tried, and the rows of the traffic's grid on the nodes by
/// number, too. No mapping stands twice. The least product of peak and cost comes first: load decides how long
/// transfers take that are under way together, hops decide their latency and how often they meet.
Candidates candidates(const MappingProblem& problem, const Effort& effort);

}  // namespace toroid::mapping
