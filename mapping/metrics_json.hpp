#pragma once
// The metrics of a mapping as JSON; docs/reference/results.md has the fields.

#include "core/json.hpp"
#include "mapping/metrics.hpp"

namespace toroid::mapping {

core::Json metrics_json(const MappingMetrics& metrics);

}  // namespace toroid::mapping
