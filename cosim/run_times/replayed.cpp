#include "cosim/run_times/replayed.hpp"

#include <cmath>

namespace toroid::cosim {
namespace {

End end_of(netsim::ReplayOutcome how) {
  if (how == netsim::ReplayOutcome::done) return End::done;
  return how == netsim::ReplayOutcome::killed ? End::killed : End::failed;
}

}  // namespace

Replayed::Replayed(PlacedPrograms& programs, netsim::Network& network)
    : programs_(programs),
      network_(network),
      logged_(network.clock()),
      shared_links_(programs.machine()),
      simulation_(network, netsim::OnFailedJob::go_on) {
  simulation_.on_end([this](netsim::Simulation::JobEnd ended) { end(std::move(ended)); });
  simulation_.pass_over_repeats();
}

void Replayed::start(const StartedJob& started, Ended ended) {
  auto program = programs_.place(started);
  if (!program) return logged_.start(started, std::move(ended));
  Running running{std::move(*program), {}, std::move(ended), started.id};
  running.rounds = static_cast<std::uint64_t>(std::llround(running.program.rounds));
  running.trace = std::make_unique<workloads::RepeatedTrace>(*running.program.loaded->trace, running.rounds);
  const auto id = simulation_.add(
      {running.trace.get(), running.program.mapping, programs_.options().replay, network_.clock().now()});
  if (started.limit < Time::never()) simulation_.kill(id, started.limit);
  if (programs_.options().alone) {
    const double seconds =
        programs_.alone(running.program, running.rounds).seconds / static_cast<double>(running.rounds);
    shared_links_.begin(started.id, started.job.id(), programs_.links_of(running.program), seconds,
                        network_.clock().now());
  }
  running_.emplace(id, std::move(running));
}

void Replayed::kill(JobId job) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& r) { return r.second.id == job; });
  if (found == running_.end()) return logged_.kill(job);
  simulation_.kill(found->first, network_.clock().now());
}

void Replayed::end(netsim::Simulation::JobEnd ended) {
  const auto job = running_.extract(ended.job);
  const auto& running = job.mapped();
  auto how = ended.how;
  if (const auto& complaint = running.program.complaint; how == netsim::ReplayOutcome::done && !complaint.empty()) {
    how = netsim::ReplayOutcome::failed;
    ended.complaint = complaint;
  }
  Work work{.program = running.program.loaded->text,
            .complaint = std::move(ended.complaint),
            .traffic = ended.report,
            .critical_path = ended.report.critical_path};
  if (how == netsim::ReplayOutcome::done) work.left_out = running.program.left_out();
  if (programs_.options().alone && how == netsim::ReplayOutcome::done) {
    const auto& alone = programs_.alone(running.program, running.rounds);
    work.alone = alone.seconds;
    work.max_link_load = alone.max_link_load;
  }
  if (programs_.options().alone) work.losses = shared_links_.end(running.id, work.alone, network_.clock().now());
  running.ended(end_of(how), std::move(work));
}

}  // namespace toroid::cosim
