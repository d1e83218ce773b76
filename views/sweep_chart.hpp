#pragma once
// A sweep of schedules as lines, from the JSON that `toroid schedule --json` writes of many runs.

#include <string>

#include "core/json.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// A chart with a line for each allocator (with each mapper, on each machine, under each scheduler) through a point for
/// each job log, from left to right. A point shows the means of fields `x` and `y` of the sweep's `summary`, such as
/// utilization and avg_sum_pairwise_hops, with 95 % confidence intervals where there are several runs. A point is left
/// out if all its runs failed.
LineChart sweep_chart(const core::Json& sweep, const std::string& x, const std::string& y);

}  // namespace toroid::views
