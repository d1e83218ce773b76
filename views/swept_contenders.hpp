#pragma once
// What a sweep of schedules says of each contender, as charts draw it.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "views/line_chart.hpp"

namespace toroid::views {

/// The mean of a metric over the runs of a contender.
struct SweptMean {
  double value = 0;              ///< in the metric's own unit: seconds, a share, hops
  std::optional<Span> interval;  ///< the 95 % confidence interval; none for one run
};

/// A contender by what people call its parts, and its means by the names of cosim::schedule_metrics().
struct SweptContender {
  std::string platform, workload, scheduler, alloc;
  std::optional<std::string> map;                       ///< the mapper; none where jobs have no programs
  std::map<std::string, SweptMean, std::less<>> means;  ///< empty if all its runs failed
};

using SweptContenders = std::vector<SweptContender>;

}  // namespace toroid::views
