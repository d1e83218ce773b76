#pragma once
// What the links of a machine carried for all jobs, over time.

#include "core/json.hpp"
#include "netsim/link_usage.hpp"

namespace toroid::cosim {

/// The loads of links as JSON, in equal windows from the beginning of the log until `end`: those of all links together,
/// and of each link that carried anything. docs/reference/scheduling.md explains the fields. Injection and ejection are
/// left out, so that the sum of the bytes is the bytes times hops.
core::Json link_loads_json(const netsim::LinkUsage& usage, const platforms::Machine& machine, const netsim::Time& end);

}  // namespace toroid::cosim
