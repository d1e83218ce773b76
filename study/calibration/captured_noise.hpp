#pragma once
// How much the computations of captured runs differ from one iteration to the next.

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace toroid::study {

/// Collects what ranks computed in the rounds of their programs.
class CapturedNoise {
 public:
  /// `flops[p]` of a round: what the rank computed at the place `p` of the round. Ranks whose rounds and places are as
  /// many are compared with each other.
  void add(const std::vector<std::vector<double>>& rounds);

  /// The variance over mean, in flops, of what a rank computes at a place, from one round to the next, without what all
  /// ranks have in common there: where all take longer, nobody waits for anybody. None unless two ranks have two
  /// rounds.
  std::optional<double> flops() const;

 private:
  /// Sums over ranks at one place of one round: of the computation x and of the rank's mean m at that place.
  struct Sums {
    double xx = 0, xm = 0, mm = 0, m = 0;
  };
  struct Group {
    double ranks = 0;
    std::vector<std::vector<Sums>> rounds;  ///< by round and place
  };
  std::map<std::pair<std::size_t, std::size_t>, Group> groups_;  ///< by numbers of rounds and places
};

}  // namespace toroid::study
