#pragma once
// A sweep of schedules as lines or bars.

#include <string>
#include <vector>

#include "views/bar_chart.hpp"
#include "views/line_chart.hpp"
#include "views/swept_contenders.hpp"

namespace toroid::views {

/// A chart with a line for each allocator (with each mapper, on each machine, under each scheduler) through a point for
/// each job log, from left to right. A point shows the means of fields `x` and `y`, such as utilization and
/// avg_sum_pairwise_hops, with 95 % confidence intervals where there are several runs. A point is left
/// out if all its runs failed.
LineChart sweep_chart(const SweptContenders& contenders, const std::string& x, const std::string& y);

/// A panel of bars for each of the fields: a bar for each allocator (for each scheduler where there is one allocator),
/// in a group for each scheduler and machine; whiskers are 95 % confidence intervals. All are of one job log.
BarChart sweep_bars(const SweptContenders& contenders, const std::vector<std::string>& fields);

/// The sweep as SVG: sweep_chart() of several logs, sweep_bars() of one, where each line would be a single point.
std::string sweep_svg(const SweptContenders& contenders, const std::string& x, const std::string& y);

}  // namespace toroid::views
