#include "cosim/run_times/run_times.hpp"

#include "toroid/cosim/options.hpp"

namespace toroid::cosim {

void Logged::start(const StartedJob& started, Ended ended) {
  const auto& job = started.job;
  const auto demand = started.resize ? job.demand : jobs::Demand::constant;
  const auto slot = running_.add(
      {started.id, demand, job.size, std::max(job.run_time, 0.0), started.limit, started.resize, std::move(ended)});
  run_phase(slot, static_cast<std::int32_t>(started.nodes.size()));
}

/// A phase takes as much longer as nodes are missing.
void Logged::run_phase(Slot slot, std::int32_t nodes) {
  auto& running = running_[slot];
  TOROID_ASSERT(nodes > 0 && running.phase < phases(running.demand, running.size));
  const double wanted = demanded(running.demand, running.size, running.phase);
  const double slower = running.demand == jobs::Demand::constant ? 1 : std::max(1.0, wanted / nodes);
  const Time span(running.run_time / phases(running.demand, running.size) * slower);
  const Time left = std::max(Time(), running.limit - clock_.now());
  running.is_cut = left < span;
  running.end = clock_.start_timer(running.is_cut ? left : span, *this, slot);
}

void Logged::timer_ended(std::uint32_t payload) {
  auto& running = running_[payload];
  if (running.is_cut) return end(payload, End::killed);
  if (++running.phase == phases(running.demand, running.size)) return end(payload, End::done);
  running.resize(demanded(running.demand, running.size, running.phase),
                 [this, payload](std::int32_t nodes) { run_phase(payload, nodes); });
}

void Logged::kill(JobId job) {
  const auto& all = running_.slots();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& running) { return running.id == job; });
  TOROID_ASSERT(found != all.end());
  clock_.cancel(found->end);
  end(static_cast<Slot>(found - all.begin()), End::killed);
}

void Logged::end(Slot slot, End how) {
  const auto running = std::exchange(running_[slot], {});
  running_.remove(slot);
  running.ended(how, std::nullopt);
}

}  // namespace toroid::cosim
