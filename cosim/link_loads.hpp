#pragma once
// What the links of a machine carried for all jobs, over time.

#include "core/json.hpp"
#include "netsim/link_usage.hpp"

namespace toroid::cosim {

/// In equal windows, from the beginning of the log until `end`: all links together, and one by one those that carried
/// anything; fields as in docs/scheduling.md. Injection and ejection are left out: bytes times hops are on the rest.
core::Json link_loads_json(const netsim::LinkUsage& usage, const platforms::Machine& machine, const netsim::Time& end);

}  // namespace toroid::cosim
