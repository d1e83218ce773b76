#include "core/bits.hpp"

namespace toroid::core {

std::vector<std::uint32_t> place_on_hilbert_curve(std::vector<std::uint32_t> x, int bits) {
  TOROID_ASSERT(x.size() <= 32);
  TOROID_ASSERT_HEAVY(std::ranges::all_of(x, [&](std::uint32_t axis) { return bits >= 32 || axis >> bits == 0; }));
  if (x.empty()) return {};
  for (int bit = bits - 1; bit > 0; --bit)
    for (auto& axis : x) {
      const std::uint32_t below = (1U << bit) - 1;
      const std::uint32_t exchanged = (axis >> bit & 1U) != 0 ? 0 : (x[0] ^ axis) & below;
      x[0] ^= (axis >> bit & 1U) != 0 ? below : exchanged;
      axis ^= exchanged;
    }
  for (std::size_t d = 1; d < x.size(); ++d) x[d] ^= x[d - 1];
  std::uint32_t turned = 0;
  for (int bit = bits - 1; bit > 0; --bit)
    if ((x.back() >> bit & 1U) != 0) turned ^= (1U << bit) - 1;
  std::vector<std::uint32_t> digits;
  for (int bit = bits - 1; bit >= 0; --bit) {
    std::uint32_t digit = 0;
    for (const auto axis : x) digit = digit << 1U | ((axis ^ turned) >> bit & 1U);
    digits.push_back(digit);
  }
  return digits;
}

}  // namespace toroid::core
