// Outputs of the routers: what is done seldom, or takes long anyway.

#include <bit>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {

/// next_bit() of a row of several words.
std::uint32_t Fabric::next_bit(const std::uint64_t* row, std::uint32_t turn) const {
  const auto words = static_cast<std::uint32_t>(words_);
  const std::uint32_t start = turn / 64 < words ? turn / 64 : 0, low = turn / 64 < words ? turn % 64 : 0;
  auto bits = row[start] & (~std::uint64_t{0} << low);
  for (std::uint32_t i = 0, w = start; i <= words; ++i) {
    if (bits != 0) return 64 * w + static_cast<std::uint32_t>(std::countr_zero(bits));
    w = w + 1 < words ? w + 1 : 0;
    bits = row[w];
  }
  return nobody;
}

std::uint32_t Fabric::oldest(const std::uint64_t* row, std::uint32_t router) const {
  std::uint32_t found = nobody, birth = 0;
  for (std::uint32_t w = 0; w < words_; ++w)
    for (auto bits = row[w]; bits != 0; bits &= bits - 1) {
      const auto channel = 64 * w + static_cast<std::uint32_t>(std::countr_zero(bits));
      const auto other = packets_[channels_[channel_of(router, channel)].head].birth;
      // Births begin anew after 2^32 packets, of which far fewer are on their way.
      if (found != nobody && static_cast<std::int32_t>(other - birth) >= 0) continue;
      found = channel;
      birth = other;
    }
  return found;
}

}  // namespace toroid::netsim::packet
