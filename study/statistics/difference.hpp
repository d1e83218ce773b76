#pragma once
// How two of several differ, by their runs: in pairs where what is drawn by lot is the same for both, else not.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "study/statistics/statistics.hpp"

namespace toroid::study {

/// The runs of one of those that are compared. Their values are a sample if it draws lots; if not, they are a constant,
/// as all its runs give the same value.
struct Runs {
  bool constant = false;
  Sample values = {};
  /// The number of each value's repetition, which stands for its seed, ascending. Needed only for pairs.
  std::vector<std::size_t> repetitions = {};
};

// The names of tests in results.
inline constexpr std::string_view mann_whitney_name = "mann_whitney", sign_name = "sign",
                                  signed_rank_name = "signed_rank", series_name = "t_of_series";

/// The difference between two of those that are compared, called the one and the other.
struct Difference {
  std::string_view test = {};             ///< name of the test; empty: nothing to test
  std::string_view paired_by = {};        ///< "seed" or "job"; empty: not in pairs
  std::size_t pairs = 0;                  ///< number of pairs; 0 if not in pairs
  double effective_pairs = 0;             ///< how many independent pairs would tell as much
  double equal_share = 0;                 ///< share of runs (or pairs) that the test leaves out, as both are equal
  double p = 1;                           ///< two-sided
  double p_holm = 1;                      ///< p corrected for the number of tests, see correct_for_number()
  std::size_t tests = 1;                  ///< that number
  double share_below = 0.5;               ///< how often the one is below the other, as the test sees it
  double mean = 0;                        ///< mean of the one minus mean of the other, over the pairs if there are some
  std::optional<Interval> interval = {};  ///< confidence interval of `mean`
};

/// Compares two that both have runs. `same_lots` says that the seed decides something that both have in common, such as
/// the jobs that are submitted or the mapping that they begin with. Then runs of the same repetition are pairs, and the
/// signed-rank test compares them; the Mann-Whitney test does if there are no such pairs. The sign test compares a
/// constant with a sample; for two constants there is no test. `confidence` is that of the interval.
Difference difference_of(const Runs& one, const Runs& other, bool same_lots, double confidence = usual_confidence);

/// Corrects the p of all these that were tested for the number of their tests (holm()).
void correct_for_number(const std::vector<Difference*>& differences);

/// The difference with the one and the other exchanged.
Difference reversed(Difference difference);

/// The one divided by the other, by the estimate of Hodges and Lehmann that goes with the test of their difference, of
/// logarithms. `confidence` is that of the interval; constants have none, as their ratio is certain. Nothing where a
/// value is 0 or less, or jobs are compared. Takes time by the product of the numbers of runs, up to 2,000 each.
std::optional<Shift> ratio_of(const Runs& one, const Runs& other, const Difference& difference,
                              double confidence = usual_confidence);

/// How many runs of each (or pairs) could be expected to show this difference at a level of significance `alpha`, if
/// it is as large as it seems, and as many runs are equal: with a probability of 80 %. Nothing if neither seems larger,
/// or without a test by runs.
std::optional<double> runs_to_show(const Difference& difference, double alpha);

/// The least p that a test can give with `runs` runs (or pairs) of the one and `other_runs` of the other.
double least_p(std::string_view test, std::size_t runs, std::size_t other_runs);

/// Compares two runs of the same jobs. Single jobs are no pairs, as they depend on each other: a job that waits lets
/// the jobs behind it wait. So the jobs are cut into segments of equal length in the order of their submission, and the
/// means of a segment in both runs are a pair (batch means; Conway 1963). Long segments depend on each other little,
/// and mean_of_series(), which tests their differences, takes that into account; there is no test if the segments are
/// worth less than two independent ones. `one` and `other` are sums over the jobs of each segment, `jobs` the numbers
/// of these jobs. Segments of less than four jobs are merged with their neighbours; there is no test if less than eight
/// are left.
Difference difference_by_job(Sample one, Sample other, std::vector<std::size_t> jobs,
                             double confidence = usual_confidence);

}  // namespace toroid::study
