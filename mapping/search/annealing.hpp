#pragma once
// Simulated annealing over mappings.

#include <cstdint>

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// Returns where an annealing from `start` ends, or `start` if that is better: `sweeps` times as many swaps are
/// proposed as there are ranks, each made if it lowers the cost or else with probability exp(-increase / temperature).
/// The temperature falls geometrically, from two hops of a usual message of the job, or three where ranks share nodes,
/// to three tenths of one. That leaves a good start what it is at large, and what colder proposals would find is left to
/// a descent.
///
/// A proposal brings a rank to a slot near one of those that it exchanges with, the heavier of two that are drawn, or,
/// one in eight, to any slot. It takes the time of QuadraticCost::swap_delta.
Assignment anneal(const QuadraticCost& cost, Assignment start, std::int64_t sweeps, core::Random& random);

/// The sweeps that a good start is worth where nobody says how many: 1000, or as many as make 8 million proposals,
/// which take some seconds.
std::int64_t usual_sweeps(std::int32_t ranks);

}  // namespace toroid::mapping
