#pragma once
// The mappings that are worth a look: what several mappers make of a job, each made better.

#include "mapping/costs/swapped_loads.hpp"
#include "toroid/mapping/mapper.hpp"

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
  /// The search ends where no mapping can have a product of peak and cost that is less by more than this share.
  double leeway = 0;
};

struct Candidates {
  std::vector<Candidate> all;
  double steps = 0;  ///< about what it took to find them, in those of Effort
  /// The share of the least product of peak and cost that another mapping could have less, at most; 1 if that is
  /// unknown.
  double gain_at_most = 1;
};

/// The candidates follow from the size and the structure of the job: the orders of the nodes, rcm, Scotch, mj and
/// gsearch where the traffic has a grid, multilevel, and minmaxload and tabu for small jobs. Then the best of these is
/// annealed; then comes the best of all with less load on the most loaded links, again and again. Nothing is tried
/// after a mapping that leaves no more to gain than the leeway, as the largest message loads some link, and all bytes
/// go over one at least where each rank has a router of its own. If the program's collectives go along the grid of
/// their members' nodes, the traffic is other on other nodes: then all is tried, and the rows of the traffic's grid on
/// the nodes by number, too. No mapping stands twice. The least product of peak and cost comes first: load decides how
/// long transfers take that are under way together, hops decide their latency and how often they meet.
Candidates candidates(const MappingProblem& problem, const Effort& effort);

}  // namespace toroid::mapping
