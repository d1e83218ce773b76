#pragma once
// Sums that must not wrap around in silence.

#include <cstdint>

namespace toroid::core {

/// Adds `more` to `sum`. Returns false if the result passes 2^64 - 1; the sum is wrong then.
[[nodiscard]] inline bool add_to(std::uint64_t& sum, std::uint64_t more) {
  return !__builtin_add_overflow(sum, more, &sum);
}

}  // namespace toroid::core
