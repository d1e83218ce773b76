#include "netsim/simulation.hpp"

#include <algorithm>

namespace toroid::netsim {

Simulation::JobId Simulation::add(Job job) {
  const auto id = static_cast<JobId>(jobs_.size());
  jobs_.push_back(
      std::make_unique<Replay>(*job.trace, std::move(job.placement), network_, std::move(job.options), [this, id] {
        if (on_end_) on_end_(id);
      }));
  schedule({id, true}, job.start);
  return id;
}

void Simulation::kill(JobId job, double time) {
  schedule({job, false}, time);
}

void Simulation::schedule(Event event, double time) {
  events_.push_back(event);
  network_.start_timer(std::max(0.0, time - network_.now()), *this, static_cast<std::uint32_t>(events_.size() - 1));
}

void Simulation::timer_ended(std::uint32_t event) {
  const auto [job, is_start] = events_[event];
  if (is_start)
    jobs_[job]->start();
  else
    jobs_[job]->kill();
}

void Simulation::run() {
  network_.run();
  for (const auto& job : jobs_) job->check_complete();
}

}  // namespace toroid::netsim
