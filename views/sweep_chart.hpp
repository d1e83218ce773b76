#pragma once
// A sweep of schedules as lines or bars, from the JSON that `toroid schedule --json` writes of many runs.

#include <string>
#include <vector>

#include "core/json.hpp"
#include "views/bar_chart.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// The objects of a list with the labels that a sweep's `labels` has for names in their fields.
core::Json with_labels(core::Json list, const core::Json& labels);

/// A chart with a line for each allocator (with each mapper, on each machine, under each scheduler) through a point for
/// each job log, from left to right. A point shows the means of fields `x` and `y` of the sweep's `summary`, such as
/// utilization and avg_sum_pairwise_hops, with 95 % confidence intervals where there are several runs. A point is left
/// out if all its runs failed.
LineChart sweep_chart(const core::Json& sweep, const std::string& x, const std::string& y);

/// A panel of bars for each of the fields: a bar for each allocator (for each scheduler where there is one allocator),
/// in a group for each scheduler and machine; whiskers are 95 % confidence intervals. All are of one job log: `summary`
/// is that of the sweep.
BarChart sweep_bars(const core::Json& summary, const std::vector<std::string>& fields);

/// The sweep as SVG: sweep_chart() of several logs, sweep_bars() of one, where each line would be a single point.
std::string sweep_svg(const core::Json& sweep, const std::string& x, const std::string& y);

}  // namespace toroid::views
