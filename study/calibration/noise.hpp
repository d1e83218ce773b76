#pragma once
// How much the computations of captured runs differ from one iteration to the next, and the keys of a generator that
// make its computations differ alike.

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace toroid::study {

/// What a rank computes at a place, from one round to the next, without what all ranks have in common there: where all
/// take longer, nobody waits for anybody.
struct NoiseAtPlace {
  double mean = 0, variance = 0;  ///< flops, and flops^2
  double samples = 0;             ///< degrees of freedom of the variance
};

/// Collects what ranks computed in the rounds of their programs.
class CapturedNoise {
 public:
  /// `flops[p]` of a round: what the rank computed at the place `p` of the round. Ranks whose rounds and places are as
  /// many are compared with each other.
  void add(const std::vector<std::vector<double>>& rounds);

  /// What the rounds say of each place. None unless two ranks have two rounds.
  std::vector<NoiseAtPlace> places() const;

 private:
  /// Sums over ranks at one place of one round: of the computation x and of the rank's mean m at that place.
  struct Sums {
    double xx = 0, xm = 0, mm = 0, m = 0;
  };
  struct Group {
    double ranks = 0;
    std::vector<std::vector<Sums>> rounds;  ///< the sums, by round and place
  };
  std::map<std::pair<std::size_t, std::size_t>, Group> groups_;  ///< the groups, by numbers of rounds and places
};

/// The variance of a computation of m flops: noise m + (jitter m)^2.
struct ScatterOverTime {
  double noise = 0;   ///< flops
  double jitter = 0;  ///< a share
};

/// Fits both, neither below 0, to the places of captured runs by gamma regression (P. McCullagh, J. A. Nelder,
/// Generalized Linear Models, 1989, chapter 8), as a variance is known to a share of itself. Each run weighs the same,
/// and in it each flop. Jitter is 0 where there are less than three places. None without places.
std::optional<ScatterOverTime> fit_scatter_over_time(std::span<const std::vector<NoiseAtPlace>> runs);

}  // namespace toroid::study
