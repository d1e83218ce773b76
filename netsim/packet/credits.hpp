#pragma once
// Whether buffers are large enough. The room that a packet has taken is free again a loop later: when its head (where
// packets are not bound, its tail) has come to the next router and left it, and the credit has come back. A link is
// always busy only if the channels at its other end hold as many packets as it carries in a loop; where they hold
// fewer, even a message that is alone waits.

#include "netsim/packet/layout.hpp"

namespace toroid::netsim::packet {

class Credits {
 public:
  /// What is given must outlive this.
  Credits(const Machine& machine, const Layout& layout, const Options& options);

  /// The least buffer of a link's channel, in bytes, with which no link waits for credits where one message is alone.
  std::int32_t buffer_needed() const;
  /// The least buffer, in bytes, of a channel from a node, which sends into all links of its router at once.
  std::int32_t injection_buffer_needed() const { return needed(ports_); }
  /// What a user should know of the buffers of links, in a line; empty if they are large enough.
  std::string remark() const;
  /// The seconds from the first to the last byte of a message that is alone, as credits let its packets go; 0 where
  /// buffers are large enough.
  double seconds(NodeId from, NodeId to, std::uint64_t bytes) const;

 private:
  /// The links along a dimension; or the ports from nodes into their routers.
  struct Stage {
    std::size_t dimension = 0;   ///< unused for ports
    std::uint32_t channels = 0;  ///< number of channels that packets of a message can take
    bool needs_bubble = false;   ///< whether a packet that comes in leaves room for another one
    double packet = 0;           ///< ticks from packet to packet where the link is always busy
    double loop = 0;             ///< ticks
    double least = 0;            ///< packets that the channels must hold
    double held = 0;             ///< packets that they do hold
  };
  Stage links(std::size_t d) const;
  Stage ports() const;
  std::int32_t needed(const Stage& stage) const;
  std::uint32_t channels(std::size_t d) const;
  double ways(const Stage& stage, const platforms::Coordinates& hops) const;

  const Machine& machine_;
  const Layout& layout_;
  const Options& options_;
  double fastest_ = 0;             ///< ticks of a packet at the fastest place where it may go on
  double slowest_ = 0;             ///< ticks of a packet at the slowest one
  std::vector<Stage> dimensions_;  ///< the dimensions with links
  Stage ports_;
};

}  // namespace toroid::netsim::packet
