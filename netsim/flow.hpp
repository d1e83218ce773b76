#pragma once
// A flow, which is a message on the network, as those see it who start it, watch it and are told of its end; the lines
// in which flows wait for their turn; and the paths that flows take.

#include <algorithm>
#include <bit>

#include "core/flat_map.hpp"
#include "core/hash.hpp"
#include "toroid/netsim/time/time.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::netsim {

class StateWalk;

/// Names a flow until it has ended or was cancelled.
using FlowId = std::uint32_t;

/// What a flow lost to each of several jobs, in seconds, where somebody watches the network (fluid/contention.hpp);
/// both are empty of a flow of which nothing was seen that could cost it anything.
struct Losses {
  std::span<const double> sharing = {};  ///< losses while its bytes flowed
  std::span<const double> in_line = {};  ///< losses before that, as those before it in its line were held up
};

/// How a flow came to its end.
struct FlowEnd {
  Time in_line = {};   ///< how long the flow waited for its turn, behind earlier flows (Order) and at its node's card
  Losses losses = {};  ///< valid until the call that tells of them starts or cancels a flow
};

/// What starts flows and is told when they end. The payload is what the client gave at the start of the flow.
class FlowClient {
 public:
  virtual ~FlowClient() = default;
  virtual void flow_ended(std::uint32_t payload, const FlowEnd& end) = 0;
  /// A link has failed under the bytes of the flow (OnLinkFailure::fail), which the client has to cancel now.
  virtual void flow_lost(std::uint32_t /*payload*/, platforms::LinkId /*link*/) {}
  /// Shows what the client knows of a flow to a walk (Network::walk()). A client that does not know how refuses it.
  virtual void walk_flow(StateWalk& walk, std::uint32_t payload);
};

// Which message waits for which before its bytes flow: a network delivers what a node sends to another in order.

using platforms::Order;

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
    TOROID_ASSERT_HEAVY(*last != flow && places_[*last].behind == nobody);
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
    TOROID_ASSERT_HEAVY(before == nobody || places_[before].behind == flow);
    TOROID_ASSERT_HEAVY(behind == nobody || places_[behind].before == flow);
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
  core::FlatMap<std::uint64_t, FlowId, core::Mix> last_of_;
  core::LargeVector<Place> places_;  ///< places by flow
};

// What the ways between nodes cost. Programs send to the same few partners again and again, so what was worked out
// lately is kept: a look at a table instead of divisions and walks along routes.

/// The paths of a machine, with a cache of recent ones. The machine must outlive this, or change() be called before its
/// end.
class Paths {
 public:
  explicit Paths(const platforms::Machine& machine)
      : machine_(&machine),
        slots_(std::bit_ceil(std::min(slots_per_node * static_cast<std::size_t>(machine.node_count()), most_slots))) {}

  /// Turns to another machine with as many nodes.
  void change(const platforms::Machine& machine) { *this = Paths(machine); }

  const platforms::Path& between(platforms::NodeId from, platforms::NodeId to) {
    auto& slot = slots_[(from.index() * 0x9e3779b1U + to.index()) & (slots_.size() - 1)];
    if (slot.from != from || slot.to != to) slot = {from, to, machine_->path(from, to)};
    return slot.path;
  }

 private:
  static constexpr std::size_t slots_per_node = 16, most_slots = 65536;
  struct Slot {
    platforms::NodeId from = platforms::NodeId::none(), to = from;
    platforms::Path path;
  };
  const platforms::Machine* machine_;
  core::LargeVector<Slot> slots_;
};

}  // namespace toroid::netsim
