#pragma once
// A population of assignments that tabu searches improve and recombine.

#include "mapping/search/tabu_search.hpp"

namespace toroid::mapping {

/// Returns the best assignment that is found within the budget. The search begins with `start`, too, if it is not
/// empty.
///
/// Memetic search (after Benlic, Hao 2015): 15 assignments, half of them greedy, half random, each improved by a short
/// tabu search; then again and again a child of two of them, improved in the same way, takes the place of the worst if
/// it is better and new. Where distances are rugged, the best found for smoother ones (smoothing.hpp) is a sixteenth to
/// begin with, until that is no better than the best found so far. When nothing better was found for long, all begins anew with
/// searches twice as long; the best of all counts.
Assignment memetic_search(const Qap& problem, SearchBudget& budget, core::Random& random, Assignment start = {});

}  // namespace toroid::mapping
