#pragma once
// How two of several differ, by their runs: in pairs where what is drawn by lot is the same for both, else not.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "study/statistics.hpp"

namespace toroid::study {

/// The runs of one that is compared with others: a sample if it draws lots; if not, a constant, whose one run is all
/// there is to know.
struct Runs {
  bool constant = false;
  Sample values = {};
  /// Of each value, the number of its repetition, which stands for its seed; ascending. Needed only for pairs.
  std::vector<std::size_t> repetitions = {};
};

// The names of tests in results.
inline constexpr std::string_view mann_whitney_name = "mann_whitney", sign_name = "sign",
                                  signed_rank_name = "signed_rank", series_name = "t_of_series";

/// What tells one from another.
struct Difference {
  std::string_view test = {};             ///< by its name; empty: nothing to test
  std::string_view paired_by = {};        ///< "seed" or "job"; empty: not in pairs
  std::size_t pairs = 0;                  ///< if so
  double effective_pairs = 0;             ///< as many that do not depend on each other tell as much
  double p = 1;                           ///< two-sided
  double share_below = 0.5;               ///< how often the one is below the other, as the test sees it
  double mean = 0;                        ///< of the one minus that of the other; over the pairs if there are some
  std::optional<Interval> interval = {};  ///< 95 % confidence interval of that
};

/// Both have runs. In pairs with the same seed where `same_lots` says that the seed decides something that both have in
/// common, such as the jobs that are submitted or the mapping they begin with: by the signed-rank test, over the
/// repetitions that both have; if they have none in common, and where it does not, by the Mann-Whitney test. A constant
/// is compared with a sample by the sign test, two constants without one.
Difference difference_of(const Runs& one, const Runs& other, bool same_lots);

/// The same seen from the other side.
Difference reversed(Difference difference);

/// The least p that a test can give, with so many runs (pairs) of the one and of the other.
double least_p(std::string_view test, std::size_t runs, std::size_t other_runs);

/// The same jobs in two runs, of which there are too many, and too much alike, to be pairs themselves: a job that waits
/// lets those behind it wait. So the jobs are cut into segments of equal length in the order of their submission, and
/// the means of a segment in both runs are a pair (batch means; Conway 1963). Long segments depend on each other
/// little, and how much is measured: mean_of_series() tests their differences. If they are worth less than two that do
/// not, there is no test. `one` and `other`: sums over the jobs of each segment, of which there are `jobs`. Segments of
/// less than four jobs become one with their neighbours; there is no test if less than eight are left.
Difference difference_by_job(Sample one, Sample other, std::vector<std::size_t> jobs);

}  // namespace toroid::study
