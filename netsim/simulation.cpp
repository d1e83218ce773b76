#include "netsim/simulation.hpp"

#include "netsim/repeats/fast_forward.hpp"

namespace toroid::netsim {
namespace {

/// The payloads of a job's timers.
constexpr std::uint32_t start_of(Simulation::JobId job) {
  return 2 * job;
}
constexpr std::uint32_t kill_of(Simulation::JobId job) {
  return 2 * job + 1;
}

}  // namespace

/// The report of a job that ends before its start.
ReplayReport Simulation::nothing_done(const Job& job) const {
  ReplayReport report;
  report.start = network_.clock().now();
  for (const auto node : job.mapping) report.ranks.add(RankReport{.node = node});
  return report;
}

Simulation::Simulation(Network& network, OnFailedJob on_failure) : network_(network), on_failure_(on_failure) {}

Simulation::~Simulation() {
  for (const auto& [id, live] : jobs_)
    for (const auto& timer : {live.start, live.kill})
      if (timer) network_.clock().cancel(*timer);
}

Simulation::JobId Simulation::add(Job job) {
  TOROID_ASSERT(next_ < kill_of(next_));  // the numbers of timers last for 2^31 jobs
  const auto id = next_++;
  auto& live = jobs_[id];
  live.job = std::move(job);
  live.start = network_.clock().start_timer_at(live.job.start, *this, start_of(id));
  return id;
}

void Simulation::kill(JobId job, const Time& time) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  auto& live = found->second;
  if (live.kill) {
    if (!(time < live.killed_at)) return;
    network_.clock().cancel(*live.kill);
  }
  live.killed_at = std::max(time, network_.clock().now());
  live.kill = network_.clock().start_timer_at(live.killed_at, *this, kill_of(job));
}

void Simulation::timer_ended(std::uint32_t event) {
  const JobId id = event / 2;
  auto& live = jobs_.at(id);
  if (event == start_of(id)) return start(id, live);
  live.kill.reset();
  if (live.replay)
    live.replay->kill();
  else
    end(id, {.how = ReplayOutcome::killed, .complaint = {}, .report = nothing_done(live.job)});
}

void Simulation::start(JobId id, Live& live) {
  live.start.reset();
  if (live.job.options.repeats == Repeats::sample && !(forward_ && jobs_.size() == 1))
    core::fail_input("--repeats sample is for a job that has the network to itself; expected exact or off");
  live.replay =
      std::make_unique<Replay>(*live.job.trace, std::move(live.job.mapping), network_, std::move(live.job.options),
                               [this, id](ReplayEnd how) { end(id, std::move(how)); });
  if (forward_) forward_->add(live.replay->repeating());
  live.replay->start();
}

/// Within this call the replay goes, too.
void Simulation::end(JobId id, ReplayEnd end) {
  const auto ended = jobs_.extract(id);
  for (const auto& timer : {ended.mapped().start, ended.mapped().kill})
    if (timer) network_.clock().cancel(*timer);
  if (end.how == ReplayOutcome::failed && on_failure_ == OnFailedJob::stop) throw core::SimulationError(end.complaint);
  auto& replay = ended.mapped().replay;
  if (forward_ && replay) forward_->remove(replay->repeating());
  replay.reset();  // whoever is told may drop the trace
  if (on_end_) on_end_({std::move(end), id});
}

void Simulation::pass_over_repeats() {
  forward_ = std::make_unique<FastForward>(network_);
  network_.clock().between_instants([this] { forward_->between_instants(); });
}

}  // namespace toroid::netsim
