#pragma once
// What the screen shows of a sweep of schedules.

#include <optional>
#include <string>
#include <vector>

#include "study/sweep.hpp"
#include "study/trade_offs.hpp"

namespace toroid::cli {

/// What the run times of jobs leave out, of so many seconds on average; empty of none.
std::string left_out_line(double seconds);

/// The line which says that the computation of programs is averaged, and how much it varied at most; empty if nothing
/// is averaged.
std::string averaged_line(const std::optional<double>& most_variation);

/// The means of each contender, and what their run times leave out.
std::string sweep_table(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups);

/// What speaks for which contender, for each machine with each log.
std::string sweep_verdicts(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups,
                           const std::vector<study::TradeOffs>& trade_offs);

}  // namespace toroid::cli
