#pragma once
// What runs on machines that are drawn say, in tables.

#include <span>
#include <string>

#include "platforms/intervals.hpp"
#include "study/draws.hpp"

namespace toroid::cli {

/// `20 machines drawn from the intervals of bandwidth, latency`
std::string drawn_in_words(std::size_t draws, std::span<const platforms::Interval> intervals);

/// What the rank correlations of so many draws mean, for those who see them.
std::string correlations_in_words(std::size_t draws);

/// `8.2 us (7.9 us to 8.6 us)`; `-` without any time.
std::string spread_in_words(const study::DrawnTimes& times);

/// The summary of a run on the machines that are drawn, where all of its times are known.
std::string uncertainty_text(const study::Draws& draws, const study::DrawnTimes& times);

}  // namespace toroid::cli
