#pragma once
// Events at whole ticks, most of them near: a wheel of ticks with a list of events each, and a heap of what lies
// beyond. Adding and taking cost O(1) in the wheel. Events of one tick come together, in no order that means anything.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "netsim/heap.hpp"

namespace toroid::netsim::packet {

using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max();

/// `kind` is below 8.
struct Event {
  std::uint32_t kind, a, b, c;
};

class Wheel {
 public:
  Wheel() : first_(span, nothing), occupied_(span / 64, 0) {}

  bool empty() const { return count_ == 0; }
  /// The tick of the last take().
  Tick now() const { return now_; }

  /// `at`: not before now().
  void add(Tick at, const Event& event) {
    ++count_;
    if (at - now_ < Tick{span}) return put(at, event);
    far_.push({at, event});
  }

  /// Whether there are events at now() that have not been taken.
  bool has_more() const { return first_[slot(now_)] != nothing; }
  /// The tick of the earliest event, or never.
  Tick next() const {
    if (count_ == far_count()) return far_.empty() ? never : far_.top().at;
    const std::size_t start = slot(now_);
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
    while (bits == 0) bits = occupied_[word = (word + 1) % occupied_.size()];
    const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    // Behind the start in the same word: a whole turn ahead.
    return now_ + static_cast<Tick>((found + span - start) % span);
  }

  /// Goes on to `at`, which is not beyond next(), and returns all that are there by now; valid until the next call.
  const std::vector<Event>& take(Tick at) {
    now_ = at;
    taken_.clear();
    while (!far_.empty() && far_.top().at - now_ < Tick{span}) {
      put(far_.top().at, far_.top().event);
      far_.pop();
    }
    const std::size_t here = slot(at);
    auto id = first_[here];
    first_[here] = nothing;
    occupied_[here / 64] &= ~(std::uint64_t{1} << (here % 64));
    while (id != nothing) {
      auto& node = nodes_[id];
      taken_.push_back({node.kind, node.a, node.b, node.c});
      const auto next = node.next;
      node.next = free_ & nothing;
      free_ = id;
      id = next;
    }
    count_ -= taken_.size();
    return taken_;
  }

  /// Time begins anew. There must be no events.
  void reset() { now_ = 0; }

 private:
  static constexpr std::size_t span = 1 << 14;
  static constexpr std::uint32_t nothing = (1U << 29U) - 1;
  struct Node {
    std::uint32_t next : 29, kind : 3;
    std::uint32_t a, b, c;
  };
  struct Far {
    Tick at;
    Event event;
    bool operator<(const Far& other) const { return at < other.at; }
  };

  static std::size_t slot(Tick at) { return static_cast<std::size_t>(at) % span; }
  std::size_t far_count() const { return far_.size(); }

  void put(Tick at, const Event& event) {
    std::uint32_t id = free_;
    if (id == nothing) {
      id = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      free_ = nodes_[id].next;
    }
    auto& first = first_[slot(at)];
    nodes_[id] = {first & nothing, event.kind & 7U, event.a, event.b, event.c};
    first = id;
    occupied_[slot(at) / 64] |= std::uint64_t{1} << slot(at) % 64;
  }

  std::vector<std::uint32_t> first_;     ///< event of each tick, or `nothing`
  std::vector<std::uint64_t> occupied_;  ///< a bit for each tick
  std::vector<Node> nodes_;
  std::uint32_t free_ = nothing;
  Heap<Far> far_;
  std::vector<Event> taken_;
  std::size_t count_ = 0;
  Tick now_ = 0;
};

}  // namespace toroid::netsim::packet
