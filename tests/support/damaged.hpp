#pragma once
// Broken input for readers.

#include <catch2/catch.hpp>
#include <string>

#include "core/random.hpp"
#include "toroid/core/error.hpp"

namespace toroid::test {

/// The text changed in up to four places: other bytes, lost ones, or pieces of it once more. Never empty.
inline std::string damaged(std::string text, core::Random& random) {
  for (auto changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
    const auto at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, 1 + random.below(10));
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), random.below(40)));
    }
  }
  return text.empty() ? "x" : text;
}

/// Reads, or is refused in one line.
template <class Read>
void read_or_be_refused(Read read) {
  try {
    read();
  } catch (const core::InputError& error) {
    REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
  }
}

}  // namespace toroid::test
