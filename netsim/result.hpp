#pragma once
// A finished run as JSON: the contract with users' scripts. Every field is in docs/results.md; names stay stable.

#include "core/json.hpp"
#include "netsim/network.hpp"
#include "netsim/replay_report.hpp"

namespace toroid::netsim {

/// Grows when a field changes its meaning or goes; new fields do not count.
inline constexpr int schema_version = 1;

/// Times, ranks, links, critical path and bottlenecks of one job that had the network to itself.
core::Json result_json(const Network& network, const ReplayReport& report);

}  // namespace toroid::netsim
