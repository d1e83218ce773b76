#pragma once
// What the nodes of ranks see to: a sender's own messages, as if there were no others, and the cores of receivers.

#include "netsim/network.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "workloads/collectives/schedule.hpp"

namespace toroid::netsim {

/// The messages that each rank has under way, as if no other rank sent any. Messages that travel one after another
/// (Order) follow each other at the full speed of their routes. All of a rank's messages go through the card of its
/// node, and through its port, where these have a limit. Ten messages of 1 ms each over an idle link take 10 ms of
/// bandwidth, and none of them waits for anybody else. A message takes O(1); memory goes to the pairs with messages
/// under way.
class OwnTraffic {
 public:
  /// `order` is that of the messages, or that of the network if there is none. The network must outlive this.
  OwnTraffic(const Network& network, std::optional<Order> order)
      : network_(network), order_(order.value_or(network.default_order())) {}

  /// A message of `rank` sets out from a node to another one at time `now`; its bytes can flow after `latency` and take
  /// `transfer` seconds when alone. Returns how many seconds after its latency they would have arrived, were the rank's
  /// messages alone.
  double add(Rank rank, NodeId from, NodeId to, std::uint64_t bytes, double transfer, const Time& now, double latency) {
    const auto& machine = network_.machine();
    const double gap = machine.parameters().gap;
    const Time ready = now + Time(latency), wait = gap > 0 ? enter(card(rank), gap, now) - Time(gap) - now : Time();
    Time until = enter(line(rank, to), transfer, ready + wait);
    if (machine.limits_injection() && machine.uses_links(from, to))
      until = std::max(until, enter(port(rank), static_cast<double>(bytes) / machine.parameters().injection_bandwidth,
                                    ready + wait));
    return (until - ready).seconds();
  }
  /// A message that was added has arrived.
  void remove(Rank rank, NodeId from, NodeId to) {
    leave(line(rank, to));
    if (network_.machine().parameters().gap > 0) leave(card(rank));
    if (network_.machine().limits_injection() && network_.machine().uses_links(from, to)) leave(port(rank));
  }

  /// Shows what is under way: it decides which parts later messages have.
  void walk(StateWalk& walk) {
    std::vector<std::pair<std::uint64_t, UnderWay*>> ways;
    ways_.for_each([&](std::uint64_t key, UnderWay& way) { ways.emplace_back(key, &way); });
    std::sort(ways.begin(), ways.end());
    walk.same(ways.size());
    for (const auto& [key, way] : ways) {
      walk.same(key);
      walk.same(way->messages);
      walk.time(way->until);
    }
  }

 private:
  struct UnderWay {
    Time until;
    std::uint32_t messages = 0;
  };
  static std::uint64_t key(Rank rank, std::uint32_t way) {
    return static_cast<std::uint64_t>(rank.value()) << 32U | way;
  }
  /// A rank's messages to a node, or to all where a node sends one after another.
  std::uint64_t line(Rank rank, NodeId to) const {
    return key(rank, order_ == Order::node ? ~std::uint32_t{1} : static_cast<std::uint32_t>(to.value()));
  }
  static std::uint64_t port(Rank rank) { return key(rank, ~std::uint32_t{0}); }
  static std::uint64_t card(Rank rank) { return key(rank, ~std::uint32_t{2}); }

  Time enter(std::uint64_t key, double seconds, const Time& ready) {
    TOROID_ASSERT_HEAVY(seconds >= 0);
    auto& under_way = *ways_.try_emplace(key, {}).first;
    under_way.until = std::min(std::max(under_way.until, ready) + Time(seconds), Time::latest());
    ++under_way.messages;
    return under_way.until;
  }
  void leave(std::uint64_t key) {
    auto* under_way = ways_.find(key);
    if (under_way != nullptr && --under_way->messages == 0) ways_.erase(key);
  }

  const Network& network_;
  Order order_;
  core::FlatMap<std::uint64_t, UnderWay, core::Mix> ways_;
};

/// The core of a rank sees to one message after another: to each that the rank sends, before the message sets out
/// (NodeParameters::overhead, LogP's), to each that it receives, before the rank has it (also `copy`), and to what
/// collectives sum and copy in between (`reduce`, `memcpy`). What the rank computes meanwhile takes so much longer.
class Processors {
 public:
  Processors(const platforms::NodeParameters& node, std::size_t ranks)
      : node_(node), sees_to_messages_(node.overhead > 0 || node.copy > 0) {
    if (sees_to_messages_ || node.reduce > 0 || node.memcpy > 0) cores_.resize(ranks);
  }

  /// Whether cores have to do with anything but what ranks compute; and with messages.
  bool any() const { return !cores_.empty(); }
  bool see_to_messages() const { return sees_to_messages_; }

  // Seconds of a core.

  double overhead() const { return node_.overhead; }
  /// For a message that its rank receives.
  double receiving(std::uint64_t bytes, bool is_eager) const {
    return node_.overhead + (is_eager ? node_.copy * static_cast<double>(bytes) : 0);
  }
  double seconds_of(const workloads::Step& step) const {
    using Kind = workloads::Step::Kind;
    const double per_byte = step.kind == Kind::sum ? node_.reduce : step.kind == Kind::copy ? node_.memcpy : 0;
    return per_byte * static_cast<double>(step.bytes);
  }
  /// Whether sums of collectives take their time message by message, and not at the end of the call.
  bool sum_by_bytes() const { return node_.reduce > 0; }

  /// The core of the rank gets so many seconds more to do, and is through with that at the time that this returns.
  Time see_to(workloads::Rank rank, const Time& now, double seconds) {
    auto& core = cores_[rank];
    core.free = std::min(std::max(core.free, now) + Time(seconds), Time::latest());
    if (now + Clock::together < core.computes_until) core.delay += seconds;  // else it has computed by now
    return core.free;
  }
  /// Whether the core has to do with messages before its rank can go on.
  bool is_busy(workloads::Rank rank, const Time& now) const {
    return any() && busy_seconds(cores_[rank], now) > Clock::together.seconds();
  }
  /// The rank computes for so many seconds from now on. Returns how long that takes with what its core has to do
  /// before.
  double compute(workloads::Rank rank, const Time& now, double seconds) {
    TOROID_ASSERT_HEAVY(seconds >= 0);
    if (!any()) return seconds;
    auto& core = cores_[rank];
    const double busy = busy_seconds(core, now), all = busy + seconds;
    core = {.free = now + Time(busy), .computes_until = now + Time(all)};
    return all;
  }

  /// Shows what the core of a rank still has to do to a walk.
  void walk(StateWalk& walk, workloads::Rank rank, const Time& now) {
    if (!any()) return;
    auto& core = cores_[rank];
    walk.same(core.delay);
    for (auto* time : {&core.free, &core.computes_until}) {
      const bool matters = now < *time;
      walk.same(matters);
      if (matters || walk.moves()) walk.time(*time);
    }
  }

 private:
  struct Core {
    Time free = {};            ///< when the core is through with the messages that it has
    Time computes_until = {};  ///< when its computation ends, were there no more messages
    double delay = 0;          ///< seconds of delay of that computation, by messages since it began
  };
  static double busy_seconds(const Core& core, const Time& now) {
    return std::max(core.delay, core.free <= now ? 0 : (core.free - now).seconds());
  }

  platforms::NodeParameters node_;
  bool sees_to_messages_;
  core::IdVector<workloads::Rank, Core> cores_;
};

}  // namespace toroid::netsim
