#pragma once
// The cases of a benchmark as its arguments say them.

#include <string>
#include <utility>
#include <vector>

#include "toroid/core/error.hpp"

namespace toroid::bench {

/// `TRACE@MACHINE...` as pairs. Throws InputError on anything else.
inline std::vector<std::pair<std::string, std::string>> traces_on_machines(int count, char** arguments) {
  std::vector<std::pair<std::string, std::string>> cases;
  const std::vector<std::string> texts(arguments + 1, arguments + count);
  for (const auto& text : texts) {
    const auto at = text.rfind('@');
    if (at == std::string::npos) core::fail_input("found '{}', expected TRACE@MACHINE", text);
    cases.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  return cases;
}

}  // namespace toroid::bench
