#pragma once
// Contracts between parts of this program. A broken one is a bug of ours, never a mistake of the user: for those there
// is InputError (error.hpp).
//
//   TOROID_ASSERT(slot.value() < slots)                 light: costs next to nothing, checked in every build
//   TOROID_ASSERT_HEAVY(std::is_sorted(first, last))    heavy: checked in debug builds and under sanitizers

#include <stdexcept>
#include <string>

namespace toroid::core {

/// A contract was broken. The message names the place and the condition.
class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_contract(const char* condition, const char* file, int line) {
  throw ContractError(std::string(file) + ":" + std::to_string(line) + ": '" + condition + "' does not hold");
}

#ifdef TOROID_HEAVY_ASSERTIONS
inline constexpr bool heavy_assertions = true;
#else
inline constexpr bool heavy_assertions = false;
#endif

}  // namespace toroid::core

#define TOROID_ASSERT(condition)                                     \
  do {                                                               \
    if (!(condition)) [[unlikely]]                                   \
      ::toroid::core::fail_contract(#condition, __FILE__, __LINE__); \
  } while (false)

// The condition is always compiled, so that it cannot rot, and left out where it is not wanted.
#define TOROID_ASSERT_HEAVY(condition)                                        \
  do {                                                                        \
    if constexpr (::toroid::core::heavy_assertions) TOROID_ASSERT(condition); \
  } while (false)
