#pragma once
// Results as JSON: the contract with users' scripts. Every field is in docs/results.md; names stay stable.

#include "core/json.hpp"
#include "netsim/result.hpp"

namespace toroid::netsim {

/// The whole result but for the engine's settings, which belong into a manifest.
core::Json result_json(const Machine& machine, const Result& result);
core::Json settings_json(const Result& result);

}  // namespace toroid::netsim
