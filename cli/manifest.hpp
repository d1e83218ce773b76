#pragma once
// What the manifests of results have: the version of the program, and where the values of the machines are from.

#include "core/json.hpp"

namespace toroid::cli {

inline constexpr const char* version = TOROID_VERSION;  ///< the version of the program

/// For each PLATFORM argument {"platform", "measured": {property: value}, "published", "estimate", "chosen",
/// "unstated", "default"}; what is an interval has that as its value. Throws InputError on what is no platform.
core::Json provenance_json(const std::vector<std::string>& platforms);

}  // namespace toroid::cli
