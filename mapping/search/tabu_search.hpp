#pragma once
// Searches on a dense quadratic assignment problem: robust tabu search (Taillard 1991), and a memetic search made of
// many.

#include "core/interrupt.hpp"
#include "core/random.hpp"
#include "mapping/search/qap.hpp"

namespace toroid::mapping {

/// When a search ends: after so many iterations, or earlier if the user interrupts it or `stop` says so, which is asked
/// now and then with the lowest cost so far. What a mapper returns must not depend on a clock: `stop` is for
/// benchmarks.
struct SearchBudget {
  std::int64_t iterations;
  std::function<bool(double)> stop = {};

  bool ends(double least) const { return iterations <= 0 || core::is_interrupted() || (stop && stop(least)); }
};

/// Each iteration makes the best swap of two items that is not forbidden, better or not. An item may not go back to a
/// location that it left a short, random time ago, unless that makes the best assignment so far. Of equally good swaps
/// it makes the one of the lowest items.
///
/// The gains of all swaps are kept in a table. After a swap, that of any other two items changes by a product
/// (Taillard's update in O(1)); those of the two items themselves follow from a second table, the cost of each item on
/// each location. So an iteration is O(size^2), in passes over contiguous rows. Memory: 4 tables of size^2 numbers.
class TabuSearch {
 public:
  virtual ~TabuSearch() = default;

  /// Searches from `assignment` on, spends iterations of the budget, and leaves the best assignment found there.
  /// Returns its cost. Where no swap changes the cost at all, it ends the budget. Depends on the assignment and the
  /// random stream alone, not on searches before.
  virtual double run(Assignment& assignment, std::int64_t iterations, SearchBudget& budget, core::Random& random) = 0;
};

/// Makes a search on `problem`, which must outlive it. The search works in single precision if that is exact for the
/// numbers of the problem, as it is for small whole ones, else in double precision.
std::unique_ptr<TabuSearch> make_tabu_search(const Qap& problem);

/// Returns the best assignment that is found within the budget. The search begins with `start`, too, if it is not
/// empty.
///
/// Memetic search (after Benlic, Hao 2015): 15 assignments, half of them greedy, half random, each improved by a short
/// tabu search; then again and again a child of two of them, improved in the same way, takes the place of the worst if
/// it is better and new. When nothing better was found for long, all begins anew with searches twice as long; the best
/// of all counts.
Assignment memetic_search(const Qap& problem, SearchBudget& budget, core::Random& random, Assignment start = {});

}  // namespace toroid::mapping
