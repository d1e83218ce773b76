#pragma once
// What a sweep of schedules says of each contender, as lines or bars.

#include "views/charts/charts.hpp"

namespace toroid::views {

/// The mean of a metric over the runs of a contender.
struct SweptMean {
  double value = 0;              ///< the value in the metric's own unit: seconds, a share, hops
  std::optional<Span> interval;  ///< the 95 % confidence interval; none for one run
};

/// A contender by what people call its parts, and its means by the names of cosim::schedule_metrics().
struct SweptContender {
  std::string platform, workload, scheduler, alloc;
  std::optional<std::string> map;                       ///< the mapper; none where jobs have no programs
  std::map<std::string, SweptMean, std::less<>> means;  ///< empty if all its runs failed
};

using SweptContenders = std::vector<SweptContender>;

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
