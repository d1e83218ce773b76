#pragma once
// What the links of a machine carried for all jobs, over time.

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "netsim/link_usage.hpp"

namespace toroid::cosim {

/// What the links of the grid carried in equal windows, from the beginning of the log until the end of the run.
/// Injection and ejection are left out, so that the sum of the bytes is the bytes times hops.
struct LinkLoadsOverTime {
  struct Window {
    double begin = 0;             ///< seconds since the beginning of the log
    double seconds = 0;           ///< its length; the last window may be shorter
    double bytes = 0;             ///< of all links together
    double mean_utilization = 0;  ///< share of what all links together could have carried
    double max_utilization = 0;   ///< the share of the busiest link
    std::string busiest = {};     ///< that link's name; empty if none carried anything
  };
  struct Link {
    platforms::LinkId link;
    std::string name;
    std::uint64_t bytes = 0;
    std::vector<double> bytes_by_window = {};
  };
  double window = 0;  ///< seconds
  std::vector<Window> windows = {};
  std::vector<Link> links = {};  ///< those that carried anything
};

/// The loads of links from the beginning of the log until `end`.
LinkLoadsOverTime link_loads_over_time(const netsim::LinkUsage& usage, const platforms::Machine& machine,
                                       const netsim::Time& end);

/// The loads as JSON. docs/reference/scheduling.md explains the fields.
core::Json link_loads_json(const LinkLoadsOverTime& loads);
std::vector<core::ObjectText> link_loads_objects();

}  // namespace toroid::cosim
