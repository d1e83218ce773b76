#pragma once
// JSON with its fields in the order in which they were written.

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace toroid::core {

using Json = nlohmann::ordered_json;
/// JSON whose fields are found fast, however many there are, and have no order: for large files.
using SearchedJson = nlohmann::json;

/// A text that is no JSON, nested too deep to be any that we know, or with an object that has a field twice.
class JsonError : public InputError {
 public:
  JsonError(const std::string& what, std::uint64_t in_line) : InputError(what), line(in_line) {}
  std::uint64_t line;  ///< the line of the text, from 1; 0 if it is not known
};

/// The one way from JSON text to values. Throws JsonError.
template <class AnyJson = Json>
AnyJson parse_json(std::string_view text);
extern template Json parse_json<Json>(std::string_view text);
extern template SearchedJson parse_json<SearchedJson>(std::string_view text);

/// The one way from values to JSON text, indented unless `indent` is negative: bytes that are no UTF-8, as paths and
/// files may hold, become replacement characters.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}
template <std::same_as<SearchedJson> Searched>  // nothing that only becomes such a value
std::string json_text(const Searched& json) {
  return json.dump(-1, ' ', false, SearchedJson::error_handler_t::replace);
}

/// The version of all JSON that commands write. It grows when a field changes its meaning or goes, not when one is
/// added.
inline constexpr int schema_version = 2;

}  // namespace toroid::core
