#pragma once

namespace toroid::mapping {

/// The least gain for which a search makes a swap, as a share of the cost at the start. A smaller gain may come from
/// rounding alone, and a search that follows it may never end. Costs that are whole numbers below 10^14 are exact, and
/// their gains are all larger.
constexpr double least_gain = 1e-14;

}  // namespace toroid::mapping
