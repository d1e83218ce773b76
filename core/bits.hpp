#pragma once
// A row of bits, in which the next one that is set or not is found 64 at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "toroid/core/assert.hpp"

namespace toroid::core {

class Bits {
 public:
  explicit Bits(std::size_t size = 0, bool value = false)
      : size_(size), words_((size + 63) / 64, value ? ~std::uint64_t{0} : 0) {}

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const {
    TOROID_ASSERT_HEAVY(i < size_);
    return (words_[i / 64] >> (i % 64) & 1U) != 0;
  }
  void set(std::size_t i) {
    TOROID_ASSERT_HEAVY(i < size_);
    words_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void reset(std::size_t i) {
    TOROID_ASSERT_HEAVY(i < size_);
    words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }

  /// The first place from `from` on whose bit is set; size() if there is none.
  std::size_t next_set(std::size_t from) const { return next(from, 0); }
  /// The first place from `from` on whose bit is not set; size() if there is none.
  std::size_t next_clear(std::size_t from) const { return next(from, ~std::uint64_t{0}); }

 private:
  std::size_t next(std::size_t from, std::uint64_t flip) const {
    if (from >= size_) return size_;
    std::size_t word = from / 64;
    std::uint64_t bits = (words_[word] ^ flip) >> (from % 64) << (from % 64);
    while (bits == 0) {
      if (++word == words_.size()) return size_;
      bits = words_[word] ^ flip;
    }
    const std::size_t found = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
    return found < size_ ? found : size_;
  }

  std::size_t size_;
  std::vector<std::uint64_t> words_;
};

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
