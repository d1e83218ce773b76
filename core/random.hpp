#pragma once
// Seeded random streams that give the same numbers on every machine: the engine is the standard's, which is fixed to
// the bit; the distributions are ours, since the standard's differ between libraries.

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::core {

class Random {
 public:
  /// An independent stream for each (seed, name): adding a stream elsewhere does not change this one.
  Random(std::uint64_t seed, std::string_view stream);

  /// Uniform on 0 .. bound-1, without bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform on [0, 1), 53 random bits.
  double unit();

  /// Shuffles the items by Fisher-Yates: every order is equally likely.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace toroid::core
