#include "core/random.hpp"

#include "toroid/core/assert.hpp"

namespace toroid::core {
namespace {

/// SplitMix64's finaliser: every input bit changes about half of the output bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

std::uint64_t stream_seed(std::uint64_t seed, std::string_view name) {
  std::uint64_t h = mix(seed);
  for (const char c : name) h = mix(h ^ static_cast<unsigned char>(c));
  return h;
}

}  // namespace

Random::Random(std::uint64_t seed, std::string_view stream) : engine_(stream_seed(seed, stream)) {}

std::uint64_t Random::below(std::uint64_t bound) {
  TOROID_ASSERT_HEAVY(bound >= 1);
  // Reject the lowest (2^64 mod bound) values so that what is left divides evenly. As there are fewer of these than
  // `bound`, a division tells how many only for a value below it.
  for (;;) {
    const std::uint64_t x = engine_();
    if (x >= bound || x >= (0 - bound) % bound) return x % bound;
  }
}

double Random::unit() {
  return static_cast<double>(engine_() >> 11U) * 0x1.0p-53;
}

}  // namespace toroid::core
