#pragma once
// Hashes of numbers, for tables and to tell sequences apart: quick, and the same in every run.

#include <cstdint>

namespace toroid::core {

/// The hash of a sequence whose numbers until now have `hash`, with one number more.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t number) {
  const std::uint64_t product = (hash ^ number) * 0x9e3779b97f4a7c15ULL;
  return product ^ (product >> 32U);
}

/// Two numbers of 32 bits in one.
template <class High, class Low>
constexpr std::uint64_t joined(High high, Low low) {
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
}

/// The hash of a number or of an id, as a FlatMap takes it.
struct Mix {
  constexpr std::uint64_t operator()(std::uint64_t number) const { return mix(0, number); }
  template <class Id>
  requires requires(Id id) { id.index(); }
  constexpr std::uint64_t operator()(Id id) const { return mix(0, id.index()); }
};

/// Adds `more` to `sum`. Returns false if the result passes 2^64 - 1; the sum is wrong then.
[[nodiscard]] inline bool add_to(std::uint64_t& sum, std::uint64_t more) {
  return !__builtin_add_overflow(sum, more, &sum);
}

}  // namespace toroid::core
