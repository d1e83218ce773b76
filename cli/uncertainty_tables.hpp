#pragma once
// What runs on machines that are drawn say, in tables.

#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/table.hpp"

namespace toroid::cli {

/// `20 machines drawn from bandwidth, latency`, of the intervals in the JSON of a run or a comparison.
std::string drawn_in_words(std::size_t draws, const core::Json& intervals);

/// What the rank correlations of so many draws mean, for those who see them.
std::string correlations_in_words(std::size_t draws);

/// `8.2 us (7.9 us to 8.6 us)` of the times in study::spread_json(); `-` without any.
std::string spread_in_words(const core::Json& spread);

/// The summary of a run on machines that are drawn: its JSON is the `uncertainty` of `simulate --json`.
std::string uncertainty_text(const core::Json& uncertainty);

}  // namespace toroid::cli
