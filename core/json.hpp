#pragma once
// JSON with its fields in the order in which they were written.

#include <nlohmann/json.hpp>

namespace toroid::core {
using Json = nlohmann::ordered_json;
}
