#pragma once
// Events at whole ticks, most of them near: a wheel of ticks with a list of events each, and a heap of what lies
// beyond. Adding and taking cost O(1) in the wheel. Events of one tick come together, in the order in which they were
// added to the wheel.
//
// Events lie in batches of several lines of the cache, so that those of a tick are found in few steps from one to the
// next. Where a batch has only a few, they are in its first line.

#include <array>
#include <bit>

#include "core/huge_pages.hpp"
#include "netsim/time/event_queue.hpp"

namespace toroid::netsim::packet {

using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max();
/// From here on not every tick has a time of its own, as a double does not tell them apart.
inline constexpr Tick too_many_ticks = Tick{1} << 52U;

/// An event. The meaning of its fields is up to the one who adds it.
struct Event {
  std::uint32_t a, b, c;
  std::uint16_t kind, small;
};

class Wheel {
 public:
  Wheel() : first_(span, nothing), occupied_(span / 64, 0) {}

  bool empty() const { return ticks_ == 0 && far_.empty(); }
  /// The tick of the last take().
  Tick now() const { return now_; }

  /// Adds an event at a tick that is not before now().
  void add(Tick at, std::uint16_t kind, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint16_t small) {
    if (at - now_ < Tick{span})
      put(at, kind, a, b, c, small);
    else
      far_.push({at, far_added_++, {a, b, c, kind, small}});
  }

  /// Whether there are events at now() that have not been taken.
  bool has_more() const { return first_[slot(now_)] != nothing; }
  /// The tick of the earliest event, or never.
  Tick next() const {
    if (ticks_ == 0) return far_.empty() ? never : far_.top().at;
    const std::size_t start = slot(now_);
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
    while (bits == 0) bits = occupied_[word = (word + 1) % (span / 64)];
    const std::size_t found = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    // Behind the start in the same word: a whole turn ahead.
    return now_ + static_cast<Tick>((found + span - start) % span);
  }

  /// Whether a tick, that of next() or an earlier one, has more events than a batch holds.
  bool has_many(Tick at) const {
    const auto first = at - now_ < Tick{span} ? first_[slot(at)] : nothing;
    return first != nothing && batches_[first].next != nothing;
  }

  /// Goes on to `at`, which is not beyond next(), and calls `happen` with each event that is there by now: not with
  /// those that it adds there. Where there are many it calls `announce` with each but the first, up to `ahead` events
  /// before.
  template <class Happen, class Announce>
  void take(Tick at, Happen happen, Announce announce) {
    now_ = at;
    if (!far_.empty()) bring_near();
    const std::size_t begin = gather(slot(at)), count = taken_.size() - begin;
    const Event* events = taken_.data() + begin;
    const std::size_t announced = count > ahead ? count : 0;
    for (std::size_t j = 1; j < std::min(announced, ahead); ++j) announce(events[j]);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < announced) announce(events[i + ahead]);
      happen(events[i]);
    }
  }

  /// Calls visit(tick, event) with all events, those in the wheel first, each kind in the order in which they will
  /// come.
  template <class Visit>
  void for_each(Visit visit) const {
    std::vector<std::uint32_t> batches;
    for (Tick at = now_; at - now_ < Tick{span}; ++at) {
      if (slot(at) % 64 == 0 && occupied_[slot(at) / 64] == 0) {
        at += 63;
        continue;
      }
      batches.clear();
      for (auto id = first_[slot(at)]; id != nothing; id = batches_[id].next) batches.push_back(id);
      for (auto id = batches.rbegin(); id != batches.rend(); ++id)
        for (std::uint32_t i = 0; i < batches_[*id].count; ++i) visit(at, batches_[*id].events[i]);
    }
    for (auto far = far_; !far.empty(); far.pop()) visit(far.top().at, far.top().event);
  }

  /// Sets now() back to tick 0. There must be no events.
  void reset() { now_ = 0; }

 private:
  static constexpr std::size_t span = 1 << 14;
  static constexpr std::size_t ahead = 16;  ///< number of events that take as long as memory takes to answer
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  struct alignas(64) Batch {
    std::uint32_t next = nothing;  ///< next batch of the same tick, or next free batch
    std::uint32_t count = 0;
    alignas(16) std::array<Event, 35> events;  // none across two lines
  };
  static_assert(sizeof(Batch) / 64 % 2 == 1, "or all first lines would compete for the same few places in the cache");
  struct Far {
    Tick at;
    std::uint64_t number;  ///< number in the order in which they were added
    Event event;
    bool operator<(const Far& other) const { return at != other.at ? at < other.at : number < other.number; }
  };

  static std::size_t slot(Tick at) { return static_cast<std::size_t>(at) % span; }

  void put(Tick at, std::uint16_t kind, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint16_t small) {
    auto& first = first_[slot(at)];
    if (first == nothing)
      first = first_batch(at);
    else if (batches_[first].count == batches_[first].events.size())
      first = batch_before(first);
    auto& batch = batches_[first];
    auto& event = batch.events[batch.count++];  // field by field, from where they are
    event.a = a;
    event.b = b;
    event.c = c;
    event.kind = kind;
    event.small = small;
  }
  /// Moves the events of a slot to the end of taken_. Returns where they begin. The batch that was added last comes
  /// first in the slot, so they are written from the end.
  std::size_t gather(std::size_t here) {
    auto id = std::exchange(first_[here], nothing);
    occupied_[here / 64] &= ~(std::uint64_t{1} << (here % 64));
    if (id != nothing) --ticks_;
    std::size_t begin = taken_.size();
    while (id != nothing) {
      auto& batch = batches_[id];
      if (begin < batch.events.size()) begin += make_room();
      for (auto i = batch.count; i-- > 0;) taken_[--begin] = batch.events[i];
      id = std::exchange(batch.next, std::exchange(free_, id));
    }
    return begin;
  }
  /// Makes room for events before those in taken_. Returns for how many.
  [[gnu::noinline]] std::size_t make_room() {
    const std::size_t more = taken_.size() + std::tuple_size_v<decltype(Batch::events)>;
    taken_.insert(taken_.begin(), more, Event{});
    return more;
  }
  void bring_near() {
    for (; !far_.empty() && far_.top().at - now_ < Tick{span}; far_.pop()) {
      const auto& [at, number, event] = far_.top();
      put(at, event.kind, event.a, event.b, event.c, event.small);
    }
  }
  std::uint32_t first_batch(Tick at) {
    occupied_[slot(at) / 64] |= std::uint64_t{1} << slot(at) % 64;
    ++ticks_;
    return batch_before(nothing);
  }
  /// Returns an empty batch with batch `next` after it.
  std::uint32_t batch_before(std::uint32_t next) {
    auto id = free_;
    if (id == nothing) {
      id = static_cast<std::uint32_t>(batches_.size());
      batches_.emplace_back();
    } else {
      free_ = batches_[id].next;
    }
    batches_[id].next = next;
    batches_[id].count = 0;
    return id;
  }

  std::vector<std::uint32_t> first_;     ///< batch of each tick, or `nothing`
  std::vector<std::uint64_t> occupied_;  ///< a bit for each tick
  core::LargeVector<Batch> batches_;
  std::vector<Event> taken_;  ///< the taken events, at its end, in the order in which they happen
  std::uint32_t free_ = nothing;
  Heap<Far> far_;
  std::uint64_t far_added_ = 0;
  std::size_t ticks_ = 0;  ///< number of ticks with events in batches
  Tick now_ = 0;
};

}  // namespace toroid::netsim::packet
