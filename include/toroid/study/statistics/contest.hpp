#pragma once
// Which of several is fastest. Contenders are judged by one quantity, their run times: a difference counts if its p,
// corrected for all tests of the contest, is below the level of significance. Schedulers and allocators, which are
// judged by several metrics at once, are weighed by intervals that hold together (study/trade_offs.hpp).

#include <set>
#include <string>
#include <string_view>

#include "toroid/study/statistics/statistics.hpp"

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
  std::size_t tests = 1;                  ///< the number of tests for which p_holm is corrected
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

/// What is compared with others, such as a mapper. Its run times are a sample if it draws lots; if not, it is a
/// constant, as all its runs take the same time.
struct Contender {
  std::string name, label;  ///< its name as it was given, and the one that people read
  bool constant = false;
  Sample times = {};
  std::size_t failed = 0;                     ///< number of runs that failed
  std::vector<std::size_t> repetitions = {};  ///< repetition of each time, see Runs
  std::set<std::string> lots = {};   ///< names of what it draws; where two draw one and the same, their runs are pairs
  std::optional<double> whole = {};  ///< seconds of its median run with the computation that other times leave out
  std::size_t group = 0;             ///< number of its group in a report
  double half_width = 0;             ///< the interval's half width, see Group::half_width
};

/// The most runs of a contender that a study has.
inline constexpr std::size_t most_repeats = 1000000;

/// The comparison of several contenders, which it names by their numbers.
struct Contest {
  /// Two contenders that have runs, and how `one` differs from `other`.
  struct Pair {
    std::size_t one, other;
    Difference difference;  ///< the difference of the run times; its p is corrected for the tests of the contest
    std::string_view conclusion = {};
  };
  struct OverAll {
    std::vector<std::size_t> members;  ///< contenders with two runs or more
    KruskalWallis test;
  };
  /// What a contender gains over the baseline.
  struct Gain {
    Pair pair;                     ///< `one` is the contender, `other` the baseline
    std::optional<Shift> speedup;  ///< time of the baseline over that of the contender, see ratio_of()
    double confidence;             ///< that of the interval by itself; all intervals of the contest hold together
                                   ///< unless they are those of samples of iterations
    std::optional<double> speedup_of_whole;  ///< the same of the median runs with computation
    /// How many runs of each (or pairs) could be expected to show the difference, if it is as large as it seems: more
    /// than there are, and most_repeats + 1 for all above that. Nothing where the difference shows already, where
    /// nothing is drawn, or where there is none to be seen.
    std::optional<std::size_t> runs_to_show;
  };

  std::vector<Contender> contenders;
  std::optional<std::size_t> baseline = {};  ///< the contender that all others are compared with, if that is one
  std::vector<Pair> pairs =
      {};  ///< each contender that has runs with each such contender after it; or with the baseline
  std::vector<Gain> gains = {};                 ///< the gain of each pair, if there is a baseline
  std::optional<std::size_t> lowest_mean = {};  ///< none if all runs failed
  std::optional<OverAll> over_all = {};         ///< none if there are less than two members
  std::string verdict = {};                     ///< what is said of it, in words
};

/// Compares contenders by the tests of difference_of(). All tests together are wrong with a probability of `alpha`, the
/// level of significance, 0 to 1; all intervals of gains hold together with a probability of 1 - alpha. Differences
/// within the intervals that samples of iterations leave are not distinguishable, whatever a test says. Failed runs are
/// left out, and the verdict mentions them. `mean` is what the verdict calls the mean of the times.
Contest judge_times(std::vector<Contender> contenders, double alpha, std::string_view mean = "mean",
                    std::optional<std::size_t> baseline = {});

/// The place of each contender by its mean, from 1; those that tie share the better one, and what has no runs has none.
std::vector<std::optional<std::size_t>> places(const Contest& contest);

/// Two contenders whose means are in the other order in another contest of the same contenders.
struct Exchange {
  std::size_t one, other;   ///< the mean of `one` is the lower one in the contest, and the higher one in the other
  bool shown, shown_there;  ///< whether a contest finds them different, and not by chance, in the order of their means
};
std::vector<Exchange> exchanges(const Contest& contest, const Contest& other);

/// Whether the verdict of a contest holds in another contest of the same contenders, such as one under another engine.
/// `no: X is faster` if the other contest shows a contender to be faster than the one of the lowest mean. Else `weaker:
/// not shown against X` where only this contest shows that X is slower, and `sharper: shown against X, too` where only
/// the other one does; `yes` if both show the same.
std::string holds(const Contest& contest, const Contest& other);
/// Whether all that the verdict says holds by what holds() says: `yes`, or `sharper` alone.
bool stands(std::string_view holds);

}  // namespace toroid::study
