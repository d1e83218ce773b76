#pragma once
// What a sender's own messages would take at full speed, were there no others: the part of a run time that is
// bandwidth.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "netsim/network.hpp"
#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {

/// The messages that each rank has under way, as if no other rank sent any. Messages that travel one after another
/// (Order) follow each other at the full speed of their routes. All of a rank's messages go through the card of its
/// node, and through its port, where these have a limit. So ten messages of 1 ms each over an idle link take 10 ms of
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
  /// Such a message has arrived.
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
  struct Hash {
    std::uint64_t operator()(std::uint64_t key) const {
      const auto h = key * 0x9e3779b97f4a7c15ULL;
      return h ^ (h >> 32U);
    }
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
  core::FlatMap<std::uint64_t, UnderWay, Hash> ways_;
};

}  // namespace toroid::netsim
