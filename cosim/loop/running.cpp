// Jobs from their start to their end: the nodes that they have, and who is told.

#include "cosim/loop/loop.hpp"

namespace toroid::cosim {

void Loop::begin(Slot slot, Allocation nodes) {
  auto& active = active_[slot];
  TOROID_ASSERT(active.nodes.empty() && std::ssize(nodes) >= first_demand(active.job, options_));
  TOROID_ASSERT(active.submitted <= parts_.clock.now());
  TOROID_ASSERT_HEAVY(std::ranges::none_of(nodes, [&](NodeId node) { return parts_.free.is_free(node); }));
  ++running_;
  idle_failures_ = 0;
  active.nodes = std::move(nodes);
  active.started = active.since = parts_.clock.now();
  parts_.scheduler.started(active.id, static_cast<std::int32_t>(active.nodes.size()), active.started);
  const auto begun = record(active, End::done);
  for (auto* observer : parts_.observers) observer->started(begun);
  const Time limit = options_.kill ? active.started + active.estimate : Time::never();
  StartedJob job{active.job, active.id, active.nodes, limit};
  if (changes(active))
    job.resize = [this, slot](auto wanted, const Resized& resized) { resize(slot, wanted, resized); };
  parts_.run_times.start(job, [this, slot](End end, std::optional<Work> work) { ended(slot, end, std::move(work)); });
}

void Loop::resize(Slot slot, std::int32_t wanted, const Resized& resized) {
  auto& active = active_[slot];
  const auto held = static_cast<std::int32_t>(active.nodes.size());
  TOROID_ASSERT(wanted > 0 && held > 0);
  if (wanted > held) return grow(slot, wanted - held, resized);
  book(active);
  if (wanted < held) {
    const Allocation less(active.nodes.begin() + wanted, active.nodes.end());
    active.nodes.resize(static_cast<std::size_t>(wanted));
    tell_size(active);
    parts_.allocator.release(active.id, less);
  }
  resized(wanted);
}

/// Gives the job so many nodes more. If they cannot be had, the job goes on with what it has.
void Loop::grow(Slot slot, std::int32_t more, const Resized& resized) {
  const auto& active = active_[slot];
  const alloc::Request wanted{.job = active.id, .nodes = more, .shape = {}, .held = active.nodes};
  const auto decided = [this, slot, resized](std::optional<Allocation> found) {
    auto& grown = active_[slot];
    book(grown);
    if (found) {
      grown.nodes.insert(grown.nodes.end(), found->begin(), found->end());
      tell_size(grown);
    }
    resized(static_cast<std::int32_t>(grown.nodes.size()));
  };
  const Time now = parts_.clock.now(), left = std::max(Time(), active.started + active.estimate - now);
  const auto reserved = parts_.reserved.within(now, left);
  if (reserved.empty()) return parts_.allocator.allocate(wanted, decided);
  auto found = choose_without(wanted, reserved, {});
  if (found) parts_.free.take(*found);
  decided(std::move(found));
}

void Loop::tell_size(Active& active) {
  happened();
  if (active.nodes.size() > active.most.size()) active.most = active.nodes;
  parts_.scheduler.resized(active.id, static_cast<std::int32_t>(active.nodes.size()), parts_.clock.now());
  for (auto* observer : parts_.observers) observer->resized(active.id, active.nodes, parts_.clock.now());
}

/// Adds up what the job held since this was called last.
void Loop::book(Active& active) {
  const Time now = parts_.clock.now();
  TOROID_ASSERT(active.started <= active.since && active.since <= now);
  active.node_seconds += static_cast<double>(active.nodes.size()) * (now - active.since).seconds();
  active.since = now;
}

/// A job that is killed because a node of it has failed is interrupted.
void Loop::ended(Slot slot, End end, std::optional<Work> work) {
  auto& active = active_[slot];
  if (end == End::failed && options_.failed_job == netsim::OnFailedJob::stop)
    throw core::SimulationError(fmt::format("job {}, {}: {}", active.job.id(), work->program, work->complaint));
  active.work = std::move(work);
  finish(slot, end == End::killed && !active.failed.empty() ? End::interrupted : end);
}

void Loop::finish(Slot slot, End end) {
  auto& active = active_[slot];
  TOROID_ASSERT(running_ > 0 && active.started <= parts_.clock.now());
  --running_;
  idle_failures_ = 0;
  happened();
  book(active);
  parts_.scheduler.ended(active.id, parts_.clock.now());
  auto ended = leave(slot, end);
  parts_.allocator.release(ended.id, ended.nodes);
  for (const auto& [node, back] : ended.failed) take_out(node, back);
  if (comes_again(ended, end)) submit(std::move(ended.job), ended.submitted, ended.interruptions + 1);
}

Loop::Active Loop::leave(Slot slot, End end) {
  const auto told = record(active_[slot], end);
  for (auto* observer : parts_.observers) observer->ended(told);
  auto gone = std::exchange(active_[slot], {});
  TOROID_ASSERT(slots_.contains(gone.id));
  slots_.erase(gone.id);
  active_.remove(slot);
  if (!comes_again(gone, end)) submissions_->ended(gone.job);
  return gone;
}

Record Loop::record(const Active& active, End end) const {
  TOROID_ASSERT(active.submitted <= active.started && active.started <= parts_.clock.now());
  const double run_time = (parts_.clock.now() - active.started).seconds();
  const double demanded =
      changes(active) ? active.node_seconds : mean_demand(active.job.demand, active.job.size) * run_time;
  return {.job = active.job,
          .id = active.id,
          .submitted = active.submitted,
          .started = active.started,
          .ended = parts_.clock.now(),
          .estimate = active.estimate,
          .end = end,
          .again = comes_again(active, end),
          .nodes = active.most.empty() ? active.nodes : active.most,
          .node_seconds = active.node_seconds,
          .demanded_seconds = demanded,
          .reason = active.reason,
          .work = active.work ? &*active.work : nullptr};
}

}  // namespace toroid::cosim
