#pragma once
// Sums that must not wrap around in silence.

#include <cstdint>

namespace toroid::core {

/// Adds to a sum; false, and the sum is not what it should be, if it passes 2^64 - 1.
[[nodiscard]] inline bool add_to(std::uint64_t& sum, std::uint64_t more) {
  return !__builtin_add_overflow(sum, more, &sum);
}

}  // namespace toroid::core
