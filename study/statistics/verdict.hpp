#pragma once
// Which of several differ, by their run times.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/statistics/difference.hpp"

namespace toroid::study {

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
  double half_width = 0;             ///< see Group::half_width
};

/// The most runs of a contender that a study has.
inline constexpr std::size_t most_repeats = 1000000;

/// The comparison of several contenders, which it names by their numbers.
struct Contest {
  /// Two contenders that have runs, and how `one` differs from `other`.
  struct Pair {
    std::size_t one, other;
    Difference difference;  ///< of the run times; its p is corrected for the tests of the contest
    std::string_view conclusion = {};
  };
  struct OverAll {
    std::vector<std::size_t> members;  ///< contenders with two runs or more
    KruskalWallis test;
  };
  /// What a contender gains over the baseline.
  struct Gain {
    Pair pair;                               ///< `one` is the contender, `other` the baseline
    std::optional<Shift> speedup;            ///< time of the baseline over that of the contender, see ratio_of()
    double confidence;                       ///< of the interval by itself; all intervals of the contest hold together
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
  std::vector<Gain> gains = {};                 ///< of each pair, if there is a baseline
  std::optional<std::size_t> lowest_mean = {};  ///< none if all runs failed
  std::optional<OverAll> over_all = {};         ///< none if there are less than two members
  std::string verdict = {};                     ///< in words
};

/// Compares contenders by the tests of difference_of(). All tests together are wrong with a probability of `alpha`, the
/// level of significance, 0 to 1; all intervals of gains hold together with a probability of 1 - alpha. Differences
/// within the intervals that samples of iterations leave are not distinguishable, whatever a test says. Failed runs are
/// left out, and the verdict mentions them. `mean` is what the verdict calls the mean of the times.
Contest judge(std::vector<Contender> contenders, double alpha, std::string_view mean = "mean",
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
