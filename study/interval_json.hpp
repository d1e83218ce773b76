#pragma once
// Confidence intervals in the JSON of studies.

#include <optional>

#include "core/json.hpp"
#include "study/statistics.hpp"

namespace toroid::study {

/// [low, high], or null.
inline core::Json interval_json(const std::optional<Interval>& interval) {
  return interval ? core::Json{interval->low, interval->high} : core::Json();
}

}  // namespace toroid::study
