#pragma once
// JSON with its fields in the order in which they were written.

#include <nlohmann/json.hpp>

namespace toroid::core {

using Json = nlohmann::ordered_json;

/// Of all JSON that commands write. Grows when a field changes its meaning or goes; new fields do not count.
inline constexpr int schema_version = 1;

}  // namespace toroid::core
