#pragma once

namespace toroid::mapping {

/// What a swap must gain at least, in parts of the cost at the start. Less might be rounding only, and a search that
/// follows it might never end. Whole costs below 10^14 are exact, and no gain of theirs is less.
constexpr double least_gain = 1e-14;

}  // namespace toroid::mapping
