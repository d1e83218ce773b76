#pragma once
// What repeats itself in a sequence of fewer than 2^32 elements.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "toroid/core/assert.hpp"

namespace toroid::core {

/// The least p of 1 or more such that each element equals the one p places before it; the size if that is nowhere so.
/// In O(size): the failure function of D. Knuth, J. Morris, V. Pratt, Fast pattern matching in strings, SIAM J.
/// Comput. 6, 1977, says how long a proper border each beginning of the sequence has.
template <class Sequence>
std::size_t smallest_period(const Sequence& all) {
  TOROID_ASSERT(all.size() < (std::uint64_t{1} << 32U));
  std::vector<std::uint32_t> border(all.size(), 0);
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto length = border[i - 1];
    while (length > 0 && all[length] != all[i]) length = border[length - 1];
    border[i] = length + (all[length] == all[i] ? 1 : 0);
  }
  return all.empty() ? 0 : all.size() - border.back();
}

/// The elements `first` to `end` - 1 of a sequence, of which each equals the one `period` places before it. There are
/// none if the period is 0.
struct Repetition {
  std::size_t first = 0, end = 0, period = 0;
};

/// The part of a sequence that goes round and round, three times or more: with the smallest period of its middle half,
/// in which few sequences still begin or end already. If that half does not hold two periods, the middle three quarters
/// may, or the whole sequence.
template <class Element>
Repetition repetition_in(const std::vector<Element>& all) {
  constexpr std::array<std::size_t, 3> eighths{4, 6, 8};
  for (const auto part : eighths) {
    const auto size = all.size() * part / 8, begin = (all.size() - size) / 2;
    const auto period = smallest_period(std::span(all).subspan(begin, size));
    if (size == 0 || 2 * period > size) continue;
    auto first = begin, end = begin + size;
    while (first > 0 && all[first - 1] == all[first - 1 + period]) --first;
    while (end < all.size() && all[end] == all[end - period]) ++end;
    TOROID_ASSERT(period > 0 && first + 2 * period <= end);
    if (end - first >= 3 * period) return {first, end, period};
  }
  return {};
}

}  // namespace toroid::core
