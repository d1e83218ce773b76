#pragma once
// A sweep of schedules as lines, from the JSON that `toroid schedule --json` writes of many runs.

#include <string>

#include "core/json.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// A line for each allocator (on each machine, under each scheduler), through a point for each of the jobs, from left
/// to right: the means of two of the fields of the sweep's `summary`, such as utilization and avg_sum_pairwise_hops,
/// with their 95 % confidence intervals where there are several runs. Where all runs of a point failed it is left out.
LineChart sweep_chart(const core::Json& sweep, const std::string& x, const std::string& y);

}  // namespace toroid::views
