#pragma once
// Which message waits for which before its bytes flow: a network delivers what a node sends to another in order.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

using platforms::Order;

/// Reads `pair`, `node` or `shared`. Throws InputError on another text.
Order parse_order(std::string_view text);

/// Lines of flows, each flow in at most one of them. A line comes with its first flow and goes with its last.
class Lines {
 public:
  using FlowId = std::uint32_t;
  static constexpr FlowId nobody = ~FlowId{0};

  /// The line of the messages from a node to another.
  static std::uint64_t of_pair(platforms::NodeId from, platforms::NodeId to) {
    return std::uint64_t{from.index()} << 32U | to.index();
  }
  /// The line of all messages from a node, none of which is in a line of a pair.
  static std::uint64_t of_node(platforms::NodeId from) {
    return std::uint64_t{from.index()} << 32U | ~std::uint32_t{0};
  }

  /// Puts a flow, which must be in no line, at the end of `line`.
  void join(std::uint64_t line, FlowId flow) {
    if (flow >= places_.size()) places_.resize(flow + std::size_t{1});
    const auto [last, is_new] = last_of_.try_emplace(line, flow);
    places_[flow] = {line, nobody, nobody};
    if (is_new) return;
    places_[flow].before = *last;
    places_[*last].behind = flow;
    *last = flow;
  }
  /// The flow that is before another one in its line, or nobody.
  FlowId before(FlowId flow) const { return places_[flow].before; }
  bool is_first(FlowId flow) const { return places_[flow].before == nobody; }
  /// Takes a flow out of its line. Returns the flow that becomes the first of the line by that, or nobody.
  FlowId leave(FlowId flow) {
    const auto [line, before, behind] = places_[flow];
    if (before != nobody) places_[before].behind = behind;
    if (behind != nobody)
      places_[behind].before = before;
    else if (before != nobody)
      *last_of_.find(line) = before;
    else
      last_of_.erase(line);
    return before == nobody ? behind : nobody;
  }

 private:
  struct Place {
    std::uint64_t line = 0;
    FlowId before = nobody, behind = nobody;
  };
  struct HashLine {
    std::uint64_t operator()(std::uint64_t line) const {
      const std::uint64_t h = line * 0x9e3779b97f4a7c15ULL;
      return h ^ (h >> 32U);
    }
  };
  core::FlatMap<std::uint64_t, FlowId, HashLine> last_of_;
  std::vector<Place> places_;  ///< by flow
};

}  // namespace toroid::netsim
