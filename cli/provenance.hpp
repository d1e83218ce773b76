#pragma once
// Where the values of the machines of a result are from, as JSON.

#include <string>
#include <vector>

#include "core/json.hpp"

namespace toroid::cli {

/// For each PLATFORM argument {"platform", "measured": {property: value}, "published", "estimate", "chosen",
/// "unstated", "default"}; what is an interval has that as its value. Throws InputError on what is no platform.
core::Json provenance_json(const std::vector<std::string>& platforms);

}  // namespace toroid::cli
