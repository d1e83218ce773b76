#pragma once
// Hilbert's curve through a cube of any dimension.

#include <bit>
#include <cstdint>
#include <vector>

namespace toroid::core {

/// How many bits the coordinates from 0 to `extent` - 1 have, `extent` being at least 1.
inline int bits_for(std::int32_t extent) {
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(extent - 1)));
}

/// The position of point `x` on the curve, as `bits` digits, the most significant one first; each digit has one bit for
/// each coordinate, of which there may be 32. Coordinates are below 2^bits. The curve begins at the origin and ends
/// where the first coordinate is largest and the others are 0. J. Skilling, Programming the Hilbert curve, AIP Conf.
/// Proc. 707 (2004), AxesToTranspose.
std::vector<std::uint32_t> place_on_hilbert_curve(std::vector<std::uint32_t> x, int bits);

}  // namespace toroid::core
