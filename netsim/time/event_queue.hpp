#pragma once
// Queues of what is to come: a heap whose top can be replaced, and events by their times.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/huge_pages.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/netsim/time/time.hpp"

namespace toroid::netsim {

// A priority queue whose top can be replaced in one go. Four children a node: half as deep as a binary heap, and the
// children share a cache line or two.

constexpr std::size_t no_child = ~std::size_t{0};

/// The least of the children of a node of such a heap, or no_child. It has no branches, as no processor could predict
/// them.
template <class Entry>
std::size_t least_child(const core::LargeVector<Entry>& heap, std::size_t node) {
  const auto lesser = [&](std::size_t a, std::size_t b) {
    return a + (b - a) * static_cast<std::size_t>(heap[b] < heap[a]);
  };
  const std::size_t first = 4 * node + 1;
  if (first + 4 <= heap.size()) return lesser(lesser(first, first + 1), lesser(first + 2, first + 3));
  if (first >= heap.size()) return no_child;
  std::size_t least = first;
  for (std::size_t child = first + 1; child < heap.size(); ++child) least = lesser(least, child);
  return least;
}

/// A heap with the least entry on top. Which of several equal ones that is depends only on the calls before.
template <class Entry>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const {
    TOROID_ASSERT_HEAVY(!empty());
    return entries_.front();
  }
  void clear() { entries_.clear(); }

  void push(const Entry& entry) {
    entries_.push_back(entry);
    std::size_t at = entries_.size() - 1;
    for (; at > 0 && entry < entries_[(at - 1) / 4]; at = (at - 1) / 4) entries_[at] = entries_[(at - 1) / 4];
    entries_[at] = entry;
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) replace_top(last);
  }

  void replace_top(const Entry& entry) {
    std::size_t at = 0;
    for (auto child = least_child(entries_, at); child != no_child && entries_[child] < entry;
         child = least_child(entries_, at)) {
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

 private:
  core::LargeVector<Entry> entries_;
};

/// Events in order of time, each of which can be moved or taken out: a heap that knows where each event is. Events of
/// one time come in the order in which they were put there. Most moves put an event off, and most events are put off or
/// moved up again before their time comes: an event that is put off stays where it is in the heap until it gets to the
/// top, and only then sinks to its place.
class EventQueue {
 public:
  using Id = std::uint32_t;

  bool empty() const { return heap_.empty(); }
  bool has(Id id) const { return id < events_.size() && events_[id].at != absent; }
  /// The time of the earliest event, and, for next(), its id. There must be one.
  const Time& next_time() const {
    TOROID_ASSERT_HEAVY(!empty());
    return heap_.front().when.time;
  }
  Id next() const { return heap_.front().id; }

  /// The time of an event in the queue.
  const Time& time_of(Id id) const {
    TOROID_ASSERT_HEAVY(has(id));
    return events_[id].when.time;
  }
  /// All events, in the order in which they come.
  std::vector<Id> in_order() const {
    std::vector<Id> ids;
    ids.reserve(heap_.size());
    for (const auto& entry : heap_) ids.push_back(entry.id);
    std::sort(ids.begin(), ids.end(), [this](Id a, Id b) { return events_[a].when < events_[b].when; });
    return ids;
  }
  /// Puts off by the same time all events for which `goes(id)` says so.
  template <class Goes>
  void shift(const Time& by, Goes goes) {
    TOROID_ASSERT(by >= Time());
    for (auto& entry : heap_) {
      auto& when = events_[entry.id].when;
      if (goes(entry.id)) when.time += by;
      entry.when = when;
    }
    std::sort(heap_.begin(), heap_.end());  // which is a heap
    for (std::size_t at = 0; at < heap_.size(); ++at) place(at, Entry(heap_[at]));
  }

  /// Puts an event at `time`, or moves it there if it is in the queue already.
  void put(Id id, const Time& time) {
    if (id >= events_.size()) events_.resize(id + 1);
    auto& event = events_[id];
    event.when = {time, ++order_};
    if (event.at == absent) {
      heap_.push_back({event.when, id});
      rise(heap_.size() - 1, {event.when, id});
    } else if (event.when < heap_[event.at].when) {
      rise(event.at, {event.when, id});
    } else if (event.at == 0) {
      settle_top();
    }
  }

  /// Removes an event, if it is in the queue.
  void remove(Id id) {
    if (!has(id)) return;
    const std::size_t at = events_[id].at;
    events_[id].at = absent;
    const auto last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    if (at > 0 && last.when < heap_[(at - 1) / 4].when)
      rise(at, last);
    else
      sink(at, last);
    if (at == 0) settle_top();
  }

 private:
  static constexpr std::uint32_t absent = ~std::uint32_t{0};
  struct When {
    Time time;
    std::uint64_t order = 0;
    bool operator<(const When& other) const {
      return static_cast<bool>((time < other.time) | ((time == other.time) & (order < other.order)));
    }
  };
  struct Entry {
    When when;  ///< not after the event's own time
    Id id;
    bool operator<(const Entry& other) const { return when < other.when; }
  };
  struct Event {
    When when = {};
    std::uint32_t at = absent;  ///< its place in the heap
  };

  void place(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    events_[entry.id].at = static_cast<std::uint32_t>(at);
  }
  void rise(std::size_t at, const Entry entry) {
    for (; at > 0 && entry.when < heap_[(at - 1) / 4].when; at = (at - 1) / 4) place(at, heap_[(at - 1) / 4]);
    place(at, entry);
    TOROID_ASSERT_HEAVY(!(events_[entry.id].when < entry.when));  // an event may be put off, and never comes too late
  }
  void sink(std::size_t at, const Entry entry) {
    for (auto child = least_child(heap_, at); child != no_child && heap_[child].when < entry.when;
         child = least_child(heap_, at)) {
      place(at, heap_[child]);
      at = child;
    }
    place(at, entry);
  }
  void settle_top() {
    while (heap_.front().when < events_[heap_.front().id].when)
      sink(0, {events_[heap_.front().id].when, heap_.front().id});
  }

  core::LargeVector<Entry> heap_;
  core::LargeVector<Event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace toroid::netsim
