#pragma once
// Rows of bits, and numbers as bits.

#include <algorithm>
#include <bit>

#include <boost/dynamic_bitset.hpp>

#include "toroid/core/assert.hpp"

namespace toroid::core {

/// The first place from `from` on whose bit is set; all.size() if there is none.
inline std::size_t next_set(const boost::dynamic_bitset<>& all, std::size_t from) {
  return std::min(from == 0 ? all.find_first() : all.find_next(from - 1), all.size());
}

/// How many bits the coordinates from 0 to `extent` - 1 have, `extent` being at least 1.
inline int bits_for(std::int32_t extent) {
  TOROID_ASSERT(extent >= 1);
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(extent - 1)));
}

/// The position of point `x` on the curve, as `bits` digits, the most significant one first; each digit has one bit for
/// each coordinate, of which there may be 32. Coordinates are below 2^bits. The curve begins at the origin and ends
/// where the first coordinate is largest and the others are 0. J. Skilling, Programming the Hilbert curve, AIP Conf.
/// Proc. 707 (2004), AxesToTranspose.
std::vector<std::uint32_t> place_on_hilbert_curve(std::vector<std::uint32_t> x, int bits);

}  // namespace toroid::core
