#pragma once
// Greedy starts, each descended from.

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// Returns the best of `iterations` >= 1 local optima (local_search.hpp) below greedy starts (greedy_start.hpp).
Assignment grasp(const QuadraticCost& cost, std::int64_t iterations, core::Random& random);

}  // namespace toroid::mapping
