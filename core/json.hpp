#pragma once
// JSON with its fields in the order in which they were written.

#include <nlohmann/json.hpp>
#include <string>

namespace toroid::core {

using Json = nlohmann::ordered_json;

/// The one way from values to JSON text, indented unless `indent` is negative: bytes that are no UTF-8, as paths and
/// files may hold, become replacement characters.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Of all JSON that commands write. Grows when a field changes its meaning or goes; new fields do not count.
inline constexpr int schema_version = 1;

}  // namespace toroid::core
