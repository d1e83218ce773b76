#pragma once
// Mappings made better by swaps of ranks that are simulated one by one.

#include <cstddef>
#include <limits>

#include "mapping/costs/routes.hpp"
#include "mapping/portfolio/simulation_judge.hpp"

namespace toroid::mapping {

/// Swaps two ranks, or moves a rank to a free slot, as long as that runs faster and the judge is not exhausted, from
/// `start` on, which the judge may know already. What to try first is told by the links that the last run was short of:
/// ranks with messages over these come first, and of their swaps the ones that relieve the links most (by the sum over
/// all links of the square of their seconds, with that routing). Swaps that failed before come last. The search ends
/// with the judge, with a mapping that no swap makes faster, or after `patience` failures in a row.
Mapping simulated_descent(const MappingProblem& problem, SimulationJudge& judge, const Mapping& start, Routing routing,
                          std::size_t patience = std::numeric_limits<std::size_t>::max());

}  // namespace toroid::mapping
