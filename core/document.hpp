#pragma once
// Documents of ours, read back: whatever is wrong with one is told in a line.

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "core/json.hpp"

namespace toroid::core {

/// Calls `read`, which takes values out of JSON, and returns its result. Throws InputError, `found ..., expected WHAT`,
/// where a text is no JSON, and where a value is missing or of another type.
template <class Read>
auto read_document(std::string_view what, Read read) {
  try {
    return read();
  } catch (const JsonError& error) {
    fail_input("{}, expected {}", error.what(), what);
  } catch (const nlohmann::detail::exception& error) {  // its text begins with its number in brackets
    const std::string_view text(error.what());
    fail_input("found another document ({}), expected {}", text.substr(text.find(' ') + 1), what);
  }
}

}  // namespace toroid::core
