#pragma once
// A network of routers flit by flit and cycle by cycle: slow, plain, and nothing in common with the packet engine but
// what both are about. Wormhole switching with virtual channels and credits, as in Dally and Towles, Principles and
// Practices of Interconnection Networks (2004), chapters 16 to 19. Head flits are given a channel of the next link, and
// flits a turn on the crossbar, by separable allocators whose round robins move on with what is taken (iSLIP, one
// iteration).

#include <cstdint>
#include <vector>

#include "core/random.hpp"

namespace toroid::test {

/// A k-ary n-cube, its nodes numbered x first. Links, and ports to and from nodes, carry a flit per cycle.
struct FlitNetwork {
  std::int32_t k = 8, n = 2;
  bool wraps = false;
  bool adaptive = false;      ///< any shortest way
  bool shares_links = false;  ///< flits of adaptive packets take a link by turns; else a packet holds it to its end
  std::int32_t channels = 8;  ///< virtual channels of each link and port; two classes of them where it wraps
  std::int32_t buffer = 16;   ///< flits of each channel
  std::int32_t packet = 16;   ///< flits
  std::int32_t hop = 4;       ///< cycles of a head flit that nobody is in the way of, 2 or more
  std::int32_t speedup = 2;   ///< flits that leave each input in a cycle, of different channels
  bool oldest_first = false;  ///< channels go to the oldest packets; else in turn
  bool draws_turns = false;   ///< whose turn it is at first, everywhere, is drawn; else it is that of the first
};

/// Packets that a node sends to another one. A node sends its messages one after another.
struct FlitMessage {
  std::int32_t from, to, packets;
};

/// The cycle in which the last flit has arrived. Packets go in dimension order; those that have two shortest ways round
/// a ring take one by chance. Adaptive ones take a link that leads on by a shortest way once it is idle and a channel
/// of it has room for all of them (virtual cut-through), and hold it. The first channel is for those in dimension
/// order, where it wraps the first two: the second for those whose way yet goes over the end of the ring.
std::int64_t last_flit_arrives(const FlitNetwork& network, const std::vector<FlitMessage>& messages,
                               core::Random& random);

}  // namespace toroid::test
