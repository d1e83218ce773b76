#pragma once
// What to expect of a run where neither the machine nor the engine is exact: each machine that is drawn, with each of
// the engine's deviations (netsim::Deviation).

#include <span>
#include <utility>

#include "netsim/network.hpp"
#include "study/statistics.hpp"

namespace toroid::study {

/// What a run took on a machine, in seconds.
struct DrawnTime {
  double seconds;
  double deviating = 0;  ///< of these, the seconds that the engine's deviation multiplies (netsim::deviating_seconds)
  bool operator==(const DrawnTime&) const = default;
};

/// Two runs on one machine.
using DrawnPair = std::pair<DrawnTime, DrawnTime>;

/// The share of what is possible that intervals hold: they are between the quantiles of 5 % and 95 %.
inline constexpr double spread_share = 0.9;

/// The interval of the time; by the machines alone where none deviates or nobody has measured by how much. There must
/// be at least one time.
Interval predicted_time(std::span<const DrawnTime> times, const netsim::Deviation& deviation);

struct PredictedRatio {
  Interval interval;
  double above_one;  ///< how likely it is that the ratio is above 1, by more than rounding
};
/// What to expect of the second time over the first: of two placements of one program on one machine, which have part
/// of the deviation in common, or else of two runs that have nothing in common. There must be at least one pair, and
/// times are above 0.
PredictedRatio predicted_ratio(std::span<const DrawnPair> pairs, const netsim::Deviation& deviation,
                               bool is_one_program = true);

}  // namespace toroid::study
