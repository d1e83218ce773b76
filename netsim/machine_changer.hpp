#pragma once
// Changes of a machine at their times.

#include "netsim/time/clock.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::netsim {

/// Lets a machine change, each time at the beginning of the instant.
class MachineChanger final : TimerClient {
 public:
  using Change = std::function<void(const Machine&)>;

  /// The clock, the changes and whoever is told of them must outlive it.
  MachineChanger(Clock& clock, const MachineChanges& changes, Change change)
      : clock_(clock), changes_(changes), change_(std::move(change)) {
    for (const auto& one : changes.changes) timers_.push_back(clock.start_timer_at(Time(one.time), *this, 0));
  }
  ~MachineChanger() override {
    for (; next_ < timers_.size(); ++next_) clock_.cancel(timers_[next_]);
  }
  MachineChanger(const MachineChanger&) = delete;
  MachineChanger& operator=(const MachineChanger&) = delete;

 private:
  void timer_ended(std::uint32_t) override { change_(*changes_.changes[next_++].machine); }
  bool keeps_appointments() const override { return true; }

  Clock& clock_;
  const MachineChanges& changes_;
  Change change_;
  std::size_t next_ = 0;  ///< number of changes that have happened
  std::vector<TimerId> timers_;
};

}  // namespace toroid::netsim
