#pragma once
// Hashes of several words, for tables whose keys are numbers.

#include <cstdint>

namespace toroid::core {

/// The hash with one more word mixed in. Its low bits are good enough to choose a slot (FlatMap), and two sequences of
/// words have the same hash by chance alone, once in about 2^64 pairs.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32U;
}

}  // namespace toroid::core
