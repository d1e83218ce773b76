#pragma once
// Which of several differ, by their run times.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "study/difference.hpp"

namespace toroid::study {

/// One that is compared with others, such as a mapper: a sample if it draws lots; if not, a constant, whose one run is
/// all there is to know.
struct Contender {
  std::string name, label;  ///< as it was given; for words
  bool constant = false;
  Sample times = {};
  std::size_t failed = 0;                     ///< runs besides
  std::vector<std::size_t> repetitions = {};  ///< of the times, see Runs
  std::set<std::string> lots = {};  ///< names of what it draws; where two draw one and the same, their runs are pairs
};

/// How they compare. Contenders are named by their numbers.
struct Contest {
  /// Two that have runs, and how `one` compares with `other`.
  struct Pair {
    std::size_t one, other;
    Difference difference;  ///< in run time
    double p_holm;          ///< the p of that, corrected for the number of tests of this kind
    std::size_t tests;      ///< of this kind, which share the level of significance
    std::string_view conclusion;
  };
  struct OverAll {
    std::vector<std::size_t> members;  ///< those of two runs or more
    KruskalWallis test;
  };

  std::vector<Contender> contenders;
  std::vector<Pair> pairs;                 ///< those with runs, each with each after it
  std::optional<std::size_t> lowest_mean;  ///< none if all runs failed
  std::optional<OverAll> over_all;         ///< if there are two members
  std::string verdict;                     ///< in words
};

/// By the tests of difference_of(). `alpha` is the level of significance, 0 to 1. Failed runs are left out, and told.
Contest judge(std::vector<Contender> contenders, double alpha);

/// Whether the verdict holds in another contest of the same contenders, as under another engine: `yes` if whatever is
/// slower than the one of the lowest mean is so there, too; `no: X is faster` if any is faster; else `not shown
/// against X`.
std::string holds(const Contest& contest, const Contest& other);

}  // namespace toroid::study
