#pragma once
// The one clock of a simulation: engines, jobs and schedulers set their timers on it and hear from it.
//
// Time goes from instant to instant. An instant begins at the earliest event that is left, and all that is due within
// 1e-13 s of it (`together`) belongs to it: rounding must not tear apart what happens together. now() stays the same
// throughout. What is due happens in this order:
//   1. timers come first, by time and, of one time, in the order in which they were started;
//   2. then events of the sources, one at a time: in the order of their attachment, each in its own order: of transfers
//      that end in one instant, the one that was started first;
//   3. when nothing more is due the hooks are called, in the order in which they were added;
//   4. when nothing is due after the hooks either, the instant is over. Only then time may be passed over.
// What any of these starts with no delay belongs to the instant as well, and has its turn by the same rules: a timer
// that an event starts comes before the next event, and after a hook all begins anew, until a round of hooks leaves
// nothing due.

#include <functional>

#include "core/pool.hpp"
#include "netsim/time/event_queue.hpp"

namespace toroid::netsim {

/// Starts timers and is told when they end. The payload is the number that it gave with the timer.
class TimerClient {
 public:
  virtual ~TimerClient() = default;
  virtual void timer_ended(std::uint32_t payload) = 0;
  /// The timer is likely to end next: may bring what is needed then into the cache meanwhile.
  virtual void expect(std::uint32_t /*payload*/) const {}
  /// Whether its timers end when they are to, whatever happens before: those of a calendar, which knows no iterations.
  virtual bool keeps_appointments() const { return false; }
};

/// A source of events besides timers, such as an engine.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// The time of the source's next event, if nothing else happens before; Time::never() if it has none. Called between
  /// instants. Nobody else has an event before `limit`, so what concerns the source alone may happen until then, within
  /// this call.
  virtual Time next(const Time& limit) = 0;
  /// Lets one event happen that is due by `until`. Returns false if there is none.
  virtual bool happen(const Time& until) = 0;
};

/// The number of a timer until it has ended or was cancelled.
using TimerId = std::uint32_t;

class Clock {
 public:
  /// The seconds after its first event within which events belong to an instant.
  static constexpr Time together{1e-13};

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  const Time& now() const { return now_; }

  /// Starts a timer that ends after `delay`, 0 or more. The client must live until the timer has ended or was
  /// cancelled.
  TimerId start_timer(const Time& delay, TimerClient& client, std::uint32_t payload) {
    return start_timer_at(now_ + delay, client, payload);
  }
  /// Starts a timer that ends at `time`, which is not before now.
  TimerId start_timer_at(const Time& time, TimerClient& client, std::uint32_t payload) {
    TOROID_ASSERT(time >= now_);
    const auto id = timers_.add({&client, payload});
    queue_.put(id, time);
    return id;
  }
  /// Cancels a timer, which must not have ended; its client is not told of it any more.
  void cancel(TimerId timer) {
    TOROID_ASSERT_HEAVY(queue_.has(timer));
    queue_.remove(timer);
    timers_.remove(timer);
  }
  /// When a timer ends that has not.
  const Time& end_of(TimerId timer) const { return queue_.time_of(timer); }
  /// All timers under way, in the order in which they end.
  std::vector<TimerId> timers_in_order() const { return queue_.in_order(); }
  /// Whether the timer's client keeps appointments.
  bool is_appointment(TimerId timer) const { return timers_[timer].client->keeps_appointments(); }
  /// Goes forward in time with all timers but appointments, which must be later, as if what is between had happened.
  /// The sources go, too.
  void shift(const Time& by) {
    TOROID_ASSERT(by >= Time());
    now_ += by;
    queue_.shift(by, [this](TimerId timer) { return !is_appointment(timer); });
    TOROID_ASSERT(queue_.empty() || queue_.next_time() >= now_);  // no appointment was passed over
  }
  /// The number of timers under way.
  std::size_t timers() const { return timers_.size(); }

  /// Adds a hook that is called at the end of each instant, see above.
  void after_instant(std::function<void()> hook) { hooks_.push_back(std::move(hook)); }
  /// Sets what is called when an instant is over. Nothing may be due when it returns; it may shift() the clock.
  void between_instants(std::function<void()> passer) { passer_ = std::move(passer); }
  void attach(EventSource& source) { sources_.push_back(&source); }
  void detach(EventSource& source) { std::erase(sources_, &source); }

  /// Lets time pass until nothing is left to happen, or until stop(); may be called again then. Throws what a client,
  /// source or hook throws, and SimulationError instead of going beyond Time::latest().
  void run();
  /// Lets run() return after the present instant.
  void stop() { stopped_ = true; }

 private:
  struct Timer {
    TimerClient* client;
    std::uint32_t payload;
  };

  Time next() const;
  bool let_happen(const Time& until);
  bool fire_timer(const Time& until);

  Time now_;
  core::Pool<Timer> timers_;
  EventQueue queue_;  ///< the ends of timers
  std::vector<EventSource*> sources_;
  std::vector<std::function<void()>> hooks_;
  std::function<void()> passer_ = [] {};
  bool stopped_ = false;
};

}  // namespace toroid::netsim
