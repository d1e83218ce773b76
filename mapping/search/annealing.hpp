#pragma once
// Simulated annealing over mappings.

#include <cstdint>

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// Where an annealing from `start` ends, or `start` if that is better: `sweeps` times as many swaps are proposed as
/// there are ranks, each made if it lowers the cost or else with probability exp(-increase / temperature). The
/// temperature falls geometrically, from the mean increase of swaps proposed at the start to a hundredth of the least
/// increase seen, so that nothing but better swaps is accepted at last.
///
/// One in ten proposals swaps any two ranks; the others bring a rank next to one of those that it exchanges with, which
/// is what still helps at low temperatures. A proposal takes the time of QuadraticCost::swap_delta.
Assignment anneal(const QuadraticCost& cost, Assignment start, std::int64_t sweeps, core::Random& random);

}  // namespace toroid::mapping
