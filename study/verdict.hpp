#pragma once
// Which of several differ, by their run times.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/difference.hpp"

namespace toroid::study {

/// What is compared with others, such as a mapper. Its run times are a sample if it draws lots; if not, it is a
/// constant, as all its runs take the same time.
struct Contender {
  std::string name, label;  ///< its name as it was given, and the one that people read
  bool constant = false;
  Sample times = {};
  std::size_t failed = 0;                     ///< number of runs that failed
  std::vector<std::size_t> repetitions = {};  ///< repetition of each time, see Runs
  std::set<std::string> lots = {};  ///< names of what it draws; where two draw one and the same, their runs are pairs
};

/// The comparison of several contenders, which it names by their numbers.
struct Contest {
  /// Two contenders that have runs, and how `one` differs from `other`.
  struct Pair {
    std::size_t one, other;
    Difference difference;  ///< of the run times
    double p_holm;          ///< the p of the difference, corrected for the number of tests of its kind
    std::size_t tests;      ///< number of tests of its kind, which share the level of significance
    std::string_view conclusion;
  };
  struct OverAll {
    std::vector<std::size_t> members;  ///< contenders with two runs or more
    KruskalWallis test;
  };

  std::vector<Contender> contenders;
  std::vector<Pair> pairs;                 ///< each contender that has runs with each such contender after it
  std::optional<std::size_t> lowest_mean;  ///< none if all runs failed
  std::optional<OverAll> over_all;         ///< none if there are less than two members
  std::string verdict;                     ///< in words
};

/// Compares contenders by the tests of difference_of(). `alpha` is the level of significance, 0 to 1. Failed runs are
/// left out, and the verdict mentions them. `mean` is what the verdict calls the mean of the times.
Contest judge(std::vector<Contender> contenders, double alpha, std::string_view mean = "mean");

/// Whether the verdict of a contest holds in another contest of the same contenders, such as one under another engine:
/// `yes` if every contender that is slower than the one of the lowest mean is slower there, too; `no: X is faster` if
/// any is faster there; else `not shown against X`.
std::string holds(const Contest& contest, const Contest& other);

}  // namespace toroid::study
