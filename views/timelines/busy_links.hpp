#pragma once
// How much of their capacity the busiest links used in the windows of a run.

#include <string>
#include <utility>
#include <vector>

#include "netsim/result.hpp"

namespace toroid::views {

struct BusyLink {
  std::string name;
  /// Times, in seconds, each with the share of the link's capacity that is used from then on, 0 to 1; 0 at the end.
  std::vector<std::pair<double, double>> use;
};

/// The links of result.bottlenecks(), the busiest first; none without windows (netsim::RunRequest::keep_windows).
std::vector<BusyLink> busy_links(const netsim::Machine& machine, const netsim::Result& result);

}  // namespace toroid::views
