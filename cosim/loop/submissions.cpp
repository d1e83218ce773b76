#include "cosim/loop/submissions.hpp"

namespace toroid::cosim {

using netsim::Time;

Submissions::Submissions(const jobs::Jobs& jobs, netsim::Clock& clock, std::function<void(jobs::Job)> submit)
    : clock_(clock), submit_(std::move(submit)), stream_(jobs.open()) {
  hold_dependent(jobs);
  await_next();
}

/// Jobs that depend on others may come earlier than in the log: all are read before the first instant.
void Submissions::hold_dependent(const jobs::Jobs& jobs) {
  if (jobs.counts().dependent == 0) return;
  jobs::Job job;
  for (const auto stream = jobs.open(); stream->next(job);)
    if (job.after >= 0) {
      waiting_for_[job.after].push_back(static_cast<std::uint32_t>(dependent_.size()));
      dependent_.push_back(job);
    }
  held_ = dependent_.size();
}

void Submissions::await_next() {
  coming_.emplace();
  do
    if (!stream_->next(*coming_)) return coming_.reset();
  while (coming_->after >= 0);
  clock_.start_timer_at(std::max(clock_.now(), Time(coming_->submitted)), *this, next_of_log);
}

void Submissions::ended(const jobs::Job& job) {
  const auto waiting = waiting_for_.extract(job.number);
  if (waiting.empty()) return;
  for (const auto number : waiting.mapped()) {
    const auto& dependent = dependent_[number];
    TOROID_ASSERT(dependent.after == job.number);
    clock_.start_timer_at(clock_.now() + Time(std::max(dependent.notes.think_time, 0.0)), *this, number);
  }
}

void Submissions::timer_ended(std::uint32_t payload) {
  if (payload == next_of_log) {
    TOROID_ASSERT(coming_ && Time(coming_->submitted) <= clock_.now() + netsim::Clock::together);
    submit_(std::move(*coming_));
    await_next();
  } else {
    TOROID_ASSERT(held_ > 0 && payload < dependent_.size());
    --held_;
    submit_(std::move(dependent_[payload]));
  }
}

}  // namespace toroid::cosim
