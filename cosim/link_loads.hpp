#pragma once
// What the links of a machine carried for all jobs, over time.

#include "netsim/link_usage.hpp"
#include "toroid/core/fields.hpp"
#include "toroid/cosim/schedule.hpp"

namespace toroid::cosim {

/// The loads of links from the beginning of the log until `end`.
LinkLoadsOverTime link_loads_over_time(const netsim::LinkUsage& usage, const platforms::Machine& machine,
                                       const netsim::Time& end);

/// The loads as JSON. docs/reference/scheduling.md explains the fields.
core::Json link_loads_json(const LinkLoadsOverTime& loads);
std::vector<core::ObjectText> link_loads_objects();

}  // namespace toroid::cosim
