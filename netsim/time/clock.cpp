#include "netsim/time/clock.hpp"

#include "core/interrupt.hpp"
#include "toroid/core/error.hpp"

namespace toroid::netsim {

void Clock::run() {
  stopped_ = false;
  while (!stopped_) {
    core::end_if_interrupted();
    const Time time = next();
    if (time == Time::never()) return;
    if (!(time < Time::latest()))
      throw core::SimulationError(fmt::format("the run would take longer than {:.2g} s", Time::latest().seconds()));
    TOROID_ASSERT(time + together >= now_);
    now_ = std::max(now_, time);
    const Time until = now_ + together;
    while (let_happen(until))
      for (std::size_t hook = 0; hook < hooks_.size(); ++hook) hooks_[hook]();
    passer_();
  }
}

Time Clock::next() const {
  Time first = queue_.empty() ? Time::never() : queue_.next_time();
  // Sources that may have dealings with each other must not get ahead of each other.
  for (auto* source : sources_) first = std::min(first, source->next(sources_.size() == 1 ? first : now_));
  return first;
}

/// Lets all happen that is due; returns false if nothing was.
bool Clock::let_happen(const Time& until) {
  bool any = false;
  const auto happens = [&](EventSource* source) { return source->happen(until); };
  while (fire_timer(until) || std::any_of(sources_.begin(), sources_.end(), happens)) any = true;
  return any;
}

bool Clock::fire_timer(const Time& until) {
  if (queue_.empty() || until < queue_.next_time()) return false;
  const auto id = queue_.next();
  const Timer timer = timers_[id];
  cancel(id);
  if (!queue_.empty()) timers_[queue_.next()].client->expect(timers_[queue_.next()].payload);
  timer.client->timer_ended(timer.payload);
  return true;
}

}  // namespace toroid::netsim
