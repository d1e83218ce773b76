#pragma once
// What machines that are drawn say of a comparison: how far its times spread, on how many machines its verdicts hold,
// and what its winners gain there.

#include "study/draws.hpp"
#include "study/opinions.hpp"

namespace toroid::study {

/// The number of machines on which the verdict of a contest holds, and what is said on the others.
struct DrawnVerdict {
  std::size_t holds_on = 0;
  std::vector<std::pair<std::string, std::size_t>> otherwise =
      {};  ///< what is said on the others; the most frequent first
};

/// How many times as fast one contender of a contest is as another one.
struct DrawnGain {
  std::size_t contest, one, other;  ///< numbers: in Report::contests(), and of its contenders
  Spread ratio;                     ///< the ratio of the mean times of `other` to those of `one`, by the machines alone
  PredictedRatio predicted;         ///< the same with the engine's deviation
  std::size_t faster_on, draws;     ///< on how many machines `one` is faster, of how many
};

struct Uncertainty {
  netsim::Deviation deviation;         ///< the deviation of the engine
  std::vector<DrawnTimes> times;       ///< the means of each group, by machine
  std::vector<DrawnVerdict> verdicts;  ///< what is said of each contest
  /// What the baseline's rivals gain over the baseline or, without a baseline, what the contender with the lowest mean
  /// gains over all others.
  std::vector<DrawnGain> gains;
};

/// What the comparison's runs on drawn machines say; there must be some.
Uncertainty uncertainty_of(const Compared& compared);

/// The uncertainty as JSON: what was drawn, how far the mean times of each group spread, on how many machines the
/// verdict of each contest holds, the gains, and all rows. docs/reference/results.md explains the fields.
core::Json uncertainty_json(const Compared& compared);
/// The objects of that document, `drawn comparison` first, but for those of drawn_objects().
std::vector<core::ObjectText> drawn_comparison_objects();

}  // namespace toroid::study
