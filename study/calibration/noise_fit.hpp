#pragma once
// From what captured computations differ by, to the keys of a generator that make its computations differ alike.

#include <optional>
#include <span>
#include <vector>

#include "study/calibration/captured_noise.hpp"

namespace toroid::study {

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
