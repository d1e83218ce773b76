#pragma once
// Events in order of time, each of which can be moved or taken out: a binary heap that knows where each event is.
// Events of one time come in the order in which they were put there.

#include <cstdint>
#include <utility>
#include <vector>

namespace toroid::netsim {

class EventQueue {
 public:
  using Id = std::uint32_t;

  bool empty() const { return heap_.empty(); }
  double next_time() const { return heap_.front().time; }
  Id next() const { return heap_.front().id; }

  /// Puts the event at `time`, whether it is in the queue already or not.
  void put(Id id, double time) {
    if (id >= positions_.size()) positions_.resize(id + 1, absent);
    auto at = positions_[id];
    const Entry entry{time, ++order_, id};
    if (at == absent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back(entry);
    }
    const bool earlier = entry < heap_[at];
    heap_[at] = entry;
    positions_[id] = at;
    if (earlier || at + 1 == heap_.size())
      rise(at);
    else
      sink(at);
  }

  /// Takes the event out, if it is in.
  void remove(Id id) {
    if (id >= positions_.size() || positions_[id] == absent) return;
    const auto at = positions_[id];
    positions_[id] = absent;
    const auto last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    heap_[at] = last;
    positions_[last.id] = at;
    rise(at);
    sink(positions_[last.id]);
  }

 private:
  static constexpr std::uint32_t absent = ~std::uint32_t{0};
  struct Entry {
    double time;
    std::uint64_t order;
    Id id;
    bool operator<(const Entry& other) const {
      return time < other.time || (time == other.time && order < other.order);
    }
  };

  void place(std::uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    positions_[entry.id] = at;
  }
  void rise(std::uint32_t at) {
    const Entry entry = heap_[at];
    while (at > 0 && entry < heap_[(at - 1) / 2]) {
      place(at, heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    place(at, entry);
  }
  void sink(std::uint32_t at) {
    const Entry entry = heap_[at];
    for (std::uint32_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      place(at, heap_[child]);
      at = child;
    }
    place(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> positions_;  ///< by event
  std::uint64_t order_ = 0;
};

}  // namespace toroid::netsim
