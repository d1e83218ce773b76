#pragma once
// Ways round what failed. Such a way is no dimension-order route, but a few parts of it are, one after another: packets
// that take it have classes of channels of their own for each part, and never go back to those of a part before.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "netsim/packet/layout.hpp"

namespace toroid::netsim::packet {

class Ways {
 public:
  struct Hop {
    Layout::Port port;  ///< nowhere behind the last hop, where the way ends
    unsigned which;     ///< class
  };
  /// What `find` says instead of a hop: that the dimension-order route works, or that packets cannot go, as there is no
  /// way or it has more parts than there are classes for.
  static constexpr std::int32_t in_order = -1, blocked = -2;

  Ways(const Machine& machine, const Layout& layout) : machine_(machine), layout_(layout) {}

  /// The number of the first hop of the machine's way from a router to another; those of the others follow.
  std::int32_t find(std::uint32_t from, std::uint32_t to);
  const Hop& hop(std::int32_t number) const { return hops_[static_cast<std::size_t>(number)]; }

 private:
  std::int32_t lay(RouterId from, RouterId to);
  std::vector<unsigned> parts(const std::vector<LinkId>& links) const;
  bool wraps(const Hop& hop) const;

  const Machine& machine_;
  const Layout& layout_;
  std::vector<Hop> hops_;
  std::unordered_map<std::uint64_t, std::int32_t> found_;  ///< by from and to
};

}  // namespace toroid::netsim::packet
