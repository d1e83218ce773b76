#pragma once
// What a sweep of schedules says of each contender, as charts draw it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "views/line_chart.hpp"

namespace toroid::views {

/// The mean of a field over the runs of a contender.
struct SweptMean {
  double value = 0;              ///< in the field's own unit: seconds, a share, hops
  std::optional<Span> interval;  ///< the 95 % confidence interval; none for one run
};

/// A contender by what people call its parts, and its means by the fields that study::sweep_fields() names.
struct SweptContender {
  std::string platform, workload, scheduler, alloc;
  std::optional<std::string> map;          ///< the mapper; none where jobs have no programs
  std::map<std::string, SweptMean> means;  ///< empty if all its runs failed
};

using SweptContenders = std::vector<SweptContender>;

}  // namespace toroid::views
