#include <catch2/catch.hpp>

#include <map>

#include "core/random.hpp"
#include "netsim/time/event_queue.hpp"

using namespace toroid;
using netsim::EventQueue;
using netsim::Time;

namespace {

/// The same by a sorted map of (time, order of putting).
class SortedList {
 public:
  void put(EventQueue::Id id, const Time& time) {
    remove(id);
    places_[id] = {time, ++order_};
    events_[places_[id]] = id;
  }
  void remove(EventQueue::Id id) {
    const auto place = places_.find(id);
    if (place == places_.end()) return;
    events_.erase(place->second);
    places_.erase(place);
  }
  bool empty() const { return events_.empty(); }
  const Time& next_time() const { return events_.begin()->first.first; }
  EventQueue::Id next() const { return events_.begin()->second; }

 private:
  using Place = std::pair<Time, std::uint64_t>;
  std::map<Place, EventQueue::Id> events_;
  std::map<EventQueue::Id, Place> places_;
  std::uint64_t order_ = 0;
};

void check_same_front(const EventQueue& found, const SortedList& expected) {
  REQUIRE(found.empty() == expected.empty());
  if (expected.empty()) return;
  REQUIRE(found.next_time() == expected.next_time());
  REQUIRE(found.next() == expected.next());
}

}  // namespace

TEST_CASE("events put, moved and removed at random come as from a sorted map") {
  core::Random random(31, "event_queue");
  for (const std::uint64_t ids : {1, 2, 3, 10, 200}) {
    for (const std::uint64_t times : {2, 10, 1000000}) {
      EventQueue queue;
      SortedList plain;
      for (int step = 0; step < 4000; ++step) {
        const auto id = static_cast<EventQueue::Id>(random.below(ids));
        const auto action = random.below(8);
        if (action < 5) {
          const Time time(static_cast<double>(random.below(times)));
          queue.put(id, time);
          plain.put(id, time);
        } else {
          const auto removed = action < 7 && !plain.empty() ? plain.next() : id;
          queue.remove(removed);
          plain.remove(removed);
        }
        check_same_front(queue, plain);
      }
      for (; !plain.empty(); plain.remove(plain.next()), queue.remove(queue.next())) check_same_front(queue, plain);
      CHECK(queue.empty());
    }
  }
}

TEST_CASE("events of one time come in the order in which they were put there last") {
  EventQueue queue;
  for (const EventQueue::Id id : {5, 3, 4, 1, 2}) queue.put(id, Time(1));
  queue.put(3, Time(1));
  queue.remove(7);
  for (const EventQueue::Id id : {5, 4, 1, 2, 3}) {
    REQUIRE(queue.next() == id);
    queue.remove(id);
  }
  CHECK(queue.empty());
}
