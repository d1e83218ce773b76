#pragma once
// The one clock of a simulation: engines, jobs and schedulers set their timers on it and hear from it.
//
// Time goes from instant to instant. An instant begins at the earliest event that is left, and all that is due within
// 1e-13 s of it (`together`) belongs to it: rounding must not tear apart what happens together. now() stays the same
// throughout. Of what is due
//   1. timers come first, by time and, of one time, in the order in which they were started;
//   2. then events of the sources, one at a time: in the order of their attachment, each in its own order: of transfers
//      that end in one instant, the one that was started first;
//   3. when nothing more is due the hooks are called, in the order in which they were added.
// What any of these starts with no delay belongs to the instant as well, and has its turn by the same rules: a timer
// that an event starts comes before the next event, and after a hook all begins anew, until a round of hooks leaves
// nothing due.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/pool.hpp"
#include "netsim/event_queue.hpp"
#include "netsim/time.hpp"

namespace toroid::netsim {

/// Who started a timer and is told when it ends. The payload is what it said when it started it.
class TimerClient {
 public:
  virtual ~TimerClient() = default;
  virtual void timer_ended(std::uint32_t payload) = 0;
};

/// What has events of its own besides timers: an engine.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// When its next event is, if nothing else happens before; Time::never() if there is none. Asked between instants.
  /// Nobody else has an event before `limit`: what concerns the source alone may happen until then, within this call.
  virtual Time next(const Time& limit) = 0;
  /// Lets one event happen that is due by `until`; false if there is none.
  virtual bool happen(const Time& until) = 0;
};

/// Names a timer until it has ended or was cancelled.
using TimerId = std::uint32_t;

class Clock {
 public:
  /// Events this close to the first of an instant belong to it.
  static constexpr Time together{1e-13};

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  const Time& now() const { return now_; }

  /// `delay`: 0 or more. The client must live until the timer has ended or was cancelled.
  TimerId start_timer(const Time& delay, TimerClient& client, std::uint32_t payload) {
    return start_timer_at(now_ + delay, client, payload);
  }
  /// `time`: not before now.
  TimerId start_timer_at(const Time& time, TimerClient& client, std::uint32_t payload) {
    const auto id = timers_.add({&client, payload});
    queue_.put(id, time);
    return id;
  }
  /// The timer must not have ended; its client hears nothing more of it.
  void cancel(TimerId timer) {
    queue_.remove(timer);
    timers_.remove(timer);
  }
  /// How many timers are under way.
  std::size_t timers() const { return timers_.size(); }

  /// Called at the end of each instant, see above.
  void after_instant(std::function<void()> hook) { hooks_.push_back(std::move(hook)); }
  void attach(EventSource& source) { sources_.push_back(&source); }
  void detach(EventSource& source) { std::erase(sources_, &source); }

  /// Lets time pass until nothing is left to happen, or until stop(); may be called again then. What a client, source
  /// or hook throws comes out here. Throws SimulationError instead of going beyond Time::latest().
  void run();
  /// run() returns after the present instant.
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
  EventQueue queue_;  ///< of timers
  std::vector<EventSource*> sources_;
  std::vector<std::function<void()>> hooks_;
  bool stopped_ = false;
};

}  // namespace toroid::netsim
