#pragma once
// What repeats itself in a sequence.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace toroid::core {

/// The least p of 1 or more such that each element equals the one p places before it; the size if that is nowhere so.
/// In O(size): the failure function of D. Knuth, J. Morris, V. Pratt, Fast pattern matching in strings, SIAM J.
/// Comput. 6, 1977, says how long a proper border each beginning of the sequence has.
inline std::size_t smallest_period(std::span<const std::uint32_t> all) {
  std::vector<std::uint32_t> border(all.size(), 0);
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto length = border[i - 1];
    while (length > 0 && all[length] != all[i]) length = border[length - 1];
    border[i] = length + (all[length] == all[i] ? 1 : 0);
  }
  return all.empty() ? 0 : all.size() - border.back();
}

}  // namespace toroid::core
