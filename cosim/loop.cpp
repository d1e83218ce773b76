#include "cosim/loop.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/assert.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::cosim {

using jobs::Demand;
using jobs::Job;

namespace {

/// The id by which the scheduler knows the outage of a node.
JobId outage(NodeId node) {
  return -1 - JobId{node.value()};
}
NodeId out_by(JobId outage) {
  return NodeId(static_cast<std::int32_t>(-1 - outage));
}

/// Why a job does not start, in Slurm's words.
constexpr std::string_view reserved_soon = "ReqNodeNotAvail, Reserved for maintenance";

/// True for as long as it lives.
class During {
 public:
  explicit During(bool& flag) : flag_(flag), before_(flag) { flag_ = true; }
  ~During() { flag_ = before_; }
  During(const During&) = delete;
  During& operator=(const During&) = delete;

 private:
  bool& flag_;
  bool before_;
};

}  // namespace

Loop::Loop(Parts parts, Options options)
    : FreeView(parts.free), parts_(std::move(parts)), options_(options), all_nodes_(parts_.free.count()) {
  if (parts_.allocator.uses_logged_nodes()) logged_nodes_.emplace(parts_.free.machine());
}

void Loop::run() {
  stream_ = parts_.jobs.open();
  for (const auto& part : parts_.reserved.parts())
    parts_.scheduler.reserved({part.from, part.until, static_cast<std::int32_t>(part.nodes.size())});
  await_reservation_end();
  parts_.clock.after_instant([this] {
    // First what fails in this very instant, so that no job starts on it; last, whether anything is left to fail for.
    start_failures();
    schedule();
    if (!all_submitted_ || held_ > 0 || active_.size() > 0) return;
    if (parts_.failures != nullptr) parts_.failures->stop();
    if (reservation_timer_) parts_.clock.cancel(*std::exchange(reservation_timer_, std::nullopt));
  });
  hold_dependent();
  pull();
  parts_.clock.run();
  if (active_.size() == 0) return;
  JobId first = submitted_;
  for (const auto& [id, slot] : slots_) first = std::min(first, id);
  throw core::SimulationError(fmt::format("{} jobs wait for ever, the first of them is job {}: {} of {} nodes are free",
                                          active_.size(), active_[slots_.at(first)].job.id(), parts_.free.count(),
                                          all_nodes_));
}

void Loop::timer_ended(std::uint32_t payload) {
  if (payload == arrival) {
    submit(std::move(coming_), parts_.clock.now(), 0);
    pull();
  } else if (payload == wake) {
    wake_timer_.reset();
    changed_ = true;
  } else if (payload == reservation_end) {
    freed_ = true;
    await_reservation_end();
  } else {
    --held_;
    submit(std::move(dependent_[payload - first_dependent]), parts_.clock.now(), 0);
  }
}

// Submission

/// Jobs that depend on others may come earlier than in the log: all are read before the first instant.
void Loop::hold_dependent() {
  if (parts_.jobs.counts().dependent == 0) return;
  Job job;
  for (const auto stream = parts_.jobs.open(); stream->next(job);)
    if (job.after >= 0) {
      waiting_for_[job.after].push_back(static_cast<std::uint32_t>(dependent_.size()));
      dependent_.push_back(job);
    }
  held_ = dependent_.size();
}

void Loop::release_dependent(const Job& ended) {
  const auto waiting = waiting_for_.extract(ended.number);
  if (waiting.empty()) return;
  for (const auto job : waiting.mapped())
    parts_.clock.start_timer_at(parts_.clock.now() + Time(std::max(dependent_[job].notes.think_time, 0.0)), *this,
                                first_dependent + job);
}

void Loop::pull() {
  do all_submitted_ = !stream_->next(coming_);
  while (!all_submitted_ && coming_.after >= 0);
  if (all_submitted_) return;
  parts_.clock.start_timer_at(std::max(parts_.clock.now(), Time(coming_.submitted)), *this, arrival);
}

/// Comes into the queue now, whenever it was submitted first.
void Loop::submit(Job job, const Time& submitted, std::int32_t interruptions) {
  const JobId id = ++submitted_;
  const Time now = parts_.clock.now(), logged_wait(std::max(job.wait, 0.0));
  const auto slot = active_.add({});
  auto& active = active_[slot];
  active.job = std::move(job);
  active.id = id;
  active.submitted = submitted;
  active.interruptions = interruptions;
  active.estimate = estimate(active.job, options_);
  slots_.emplace(id, slot);
  changed_ = true;
  const auto nodes = first_demand(active.job, options_);
  const Time logged_start = interruptions > 0 ? now : now + logged_wait;
  parts_.scheduler.submitted({id, nodes, now, active.estimate, logged_start});
  for (auto* observer : parts_.observers) observer->submitted(active.job, id, now);
  if (!fits(active)) reject(id);
}

/// Whether the job would get nodes on the empty machine; if not, its reason says why.
bool Loop::fits(Active& active) const {
  std::string why_not_read;
  try {
    if (logged_nodes_) active.logged = logged_nodes_->read(active.job.nodes, first_demand(active.job, options_));
  } catch (const core::InputError& error) {
    why_not_read = error.what();
  }
  if (parts_.allocator.fits(request(active))) return true;
  active.reason = why_not_read.empty() ? parts_.allocator.refusal() : why_not_read;
  return false;
}

bool Loop::changes(const Active& active) const {
  return options_.dynamic && active.job.demand != Demand::constant;
}

/// The machine is too small for the job, or the allocator finds no nodes for it even if all are free.
void Loop::reject(JobId id) {
  const auto slot = slots_.at(id);
  const auto& job = active_[slot].job;
  if (options_.too_large == Options::TooLarge::fail)
    core::fail_input("job {}: its {} nodes never fit on {}, where {} are free at the beginning{}{}", job.id(), job.size,
                     parts_.free.machine().name(), all_nodes_, active_[slot].reason.empty() ? "" : ": ",
                     active_[slot].reason);
  parts_.scheduler.withdrawn(id);
  active_[slot].started = parts_.clock.now();
  leave(slot, End::rejected);
}

// Scheduling

void Loop::schedule() {
  if (freed_) {
    freed_ = false;
    changed_ = true;
    parts_.scheduler.freed();
  }
  if (!changed_ || asking_) return;
  changed_ = false;
  while (!asking_) {
    const bool counts = parts_.allocator.counting_suffices();
    const bool needs_no_outlook = counts && parts_.reserved.parts().empty();
    const auto start =
        parts_.scheduler.next({parts_.clock.now(), parts_.free.count(), needs_no_outlook ? nullptr : this, counts});
    if (!start) break;
    ask(*start);
  }
  if (!asking_) set_wake();
  tell_reserved();
  TOROID_ASSERT_HEAVY(asking_ || nodes_add_up());
  for (auto* observer : parts_.observers) observer->settled(parts_.clock.now());
}

/// Whether each node is held by a job, free or out; or on its way, where allocators send messages.
bool Loop::nodes_add_up() const {
  auto nodes = out_ + parts_.free.count();
  for (const auto& [id, slot] : slots_) nodes += static_cast<std::int32_t>(active_[slot].nodes.size());
  return parts_.allocator.local() != nullptr ? nodes == all_nodes_ : nodes <= all_nodes_;
}

alloc::Request Loop::request(JobId id) const {
  return request(active_[slots_.at(id)]);
}
alloc::Request Loop::request(const Active& active) const {
  return {
      .job = active.id, .nodes = first_demand(active.job, options_), .shape = {}, .held = {}, .logged = active.logged};
}

void Loop::ask(const Start& start) {
  const auto& asked = active_[slots_.at(start.job)];
  TOROID_ASSERT(asked.nodes.empty());  // it waits
  asking_ = true;
  reserved_ = parts_.reserved.within(parts_.clock.now(), asked.estimate);
  if (!start.kept.empty() || !start.reserved.empty() || !reserved_.empty()) return decided(start, choose(start));
  parts_.allocator.allocate(request(start.job),
                            [this, start](std::optional<Allocation> found) { decided(start, std::move(found)); });
}

/// Chooses nodes that are neither kept for another job nor reserved soon. If the allocator finds none, the job gets
/// those that are kept for it.
std::optional<Allocation> Loop::choose(const Start& start) {
  auto nodes = choose_without(request(start.job), start.kept, reserved_);
  const auto is_free = [&](NodeId node) {
    return parts_.free.is_free(node) && std::find(reserved_.begin(), reserved_.end(), node) == reserved_.end();
  };
  if (!nodes && !start.reserved.empty() && std::all_of(start.reserved.begin(), start.reserved.end(), is_free))
    nodes.emplace(start.reserved.begin(), start.reserved.end());
  if (nodes) parts_.free.take(*nodes);
  return nodes;
}

/// What the allocator would give if neither these nor those nodes were free.
std::optional<Allocation> Loop::choose_without(const alloc::Request& request, std::span<const NodeId> these,
                                               std::span<const NodeId> those) {
  const During supposing(supposes_);
  alloc::Supposed supposed(parts_.free);
  supposed.taken(these);
  supposed.taken(those);
  return parts_.allocator.local()->choose(request);
}

void Loop::decided(const Start& start, std::optional<Allocation> nodes) {
  TOROID_ASSERT(asking_);
  asking_ = false;
  changed_ = true;
  if (!nodes) active_[slots_.at(start.job)].reason = reason_of_refusal(start);
  const bool had_all = running_ == 0 && parts_.free.count() == all_nodes_ && start.kept.empty() && reserved_.empty();
  if (nodes)
    begin(slots_.at(start.job), std::move(*nodes));
  else if (had_all)
    reject(start.job);
  else
    parts_.scheduler.refused(start.job);
}

std::string Loop::reason_of_refusal(const Start& start) {
  if (!reserved_.empty() && choose_without(request(start.job), start.kept, {})) return std::string(reserved_soon);
  const auto said = parts_.allocator.refusal();
  return said.empty() ? "No suitable nodes are free" : std::string(said);
}

/// A scheduler that plans with reservations does not even ask for jobs that these leave too few nodes.
void Loop::tell_reserved() {
  if (parts_.reserved.parts().empty()) return;
  const Time now = parts_.clock.now();
  std::map<Time, std::int32_t> free_by_estimate;  // nodes that are not reserved too soon
  for (const auto& [id, slot] : slots_) {
    auto& active = active_[slot];
    const auto nodes = first_demand(active.job, options_);
    if (!active.nodes.empty() || !active.reason.empty() || nodes > parts_.free.count()) continue;
    const auto [free, is_new] = free_by_estimate.try_emplace(active.estimate, parts_.free.count());
    if (is_new)
      for (const NodeId node : parts_.reserved.within(now, active.estimate))
        free->second -= parts_.free.is_free(node) ? 1 : 0;
    if (nodes > free->second) active.reason = reserved_soon;
  }
}

// What would be

bool Loop::is_known() const {
  return parts_.allocator.local() != nullptr;
}

std::optional<Loop::Nodes> Loop::first_nodes(JobId job, std::span<const Step> steps) {
  const During supposing(supposes_);
  alloc::Supposed supposed(parts_.free);
  const auto& active = active_[slots_.at(job)];
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const auto& [time, ending] = steps[step];
    for (const JobId id : ending) suppose_ended(id, supposed);
    const auto reserved = parts_.reserved.within(time, active.estimate);
    if (parts_.allocator.counting_suffices()) {
      auto spare = parts_.free.count() - first_demand(active.job, options_);
      for (const NodeId node : reserved) spare -= parts_.free.is_free(node) ? 1 : 0;
      if (spare >= 0) return Nodes{step, {}, Time::never(), spare};
    } else if (auto nodes = choose_without(request(active), reserved, {})) {
      const auto reserved_from = parts_.reserved.next_beginning(*nodes, time);
      return Nodes{step, std::move(*nodes), reserved_from, std::numeric_limits<std::int32_t>::max()};
    }
  }
  return std::nullopt;
}

void Loop::refused_like(JobId job, JobId alike) {
  const auto other = slots_.find(alike);  // if it has not been rejected
  if (other != slots_.end()) active_[slots_.at(job)].reason = active_[other->second].reason;
}

void Loop::suppose_ended(JobId id, alloc::Supposed& supposed) const {
  if (id >= 0) return supposed.given_back(active_[slots_.at(id)].nodes);
  const NodeId node = out_by(id);
  supposed.given_back({&node, 1});
}

void Loop::set_wake() {
  const Time time = parts_.scheduler.wake();
  if (wake_timer_ && time == wake_time_) return;
  if (wake_timer_) parts_.clock.cancel(*wake_timer_);
  wake_timer_.reset();
  wake_time_ = time;
  // In an instant of its own: what is within `together` belongs to this one, in which now() stays what it is.
  const Time next_instant = parts_.clock.now() + netsim::Clock::together + netsim::Clock::together;
  if (time < Time::never()) wake_timer_ = parts_.clock.start_timer_at(std::max(time, next_instant), *this, wake);
}

/// Nodes that are reserved no more are as good as freed, though none was taken.
void Loop::await_reservation_end() {
  reservation_timer_.reset();
  const auto next = parts_.reserved.next_end(parts_.clock.now());
  if (next < Time::never()) reservation_timer_ = parts_.clock.start_timer_at(next, *this, reservation_end);
}

// Running

void Loop::begin(Slot slot, Allocation nodes) {
  auto& active = active_[slot];
  TOROID_ASSERT(active.nodes.empty() && std::ssize(nodes) >= first_demand(active.job, options_));
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
  changed_ = true;
  if (active.nodes.size() > active.most.size()) active.most = active.nodes;
  parts_.scheduler.resized(active.id, static_cast<std::int32_t>(active.nodes.size()), parts_.clock.now());
  for (auto* observer : parts_.observers) observer->resized(active.id, active.nodes, parts_.clock.now());
}

/// Adds up what the job held since this was called last.
void Loop::book(Active& active) {
  const Time now = parts_.clock.now();
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
  changed_ = true;
  book(active);
  parts_.scheduler.ended(active.id, parts_.clock.now());
  auto ended = leave(slot, end);
  parts_.allocator.release(ended.id, ended.nodes);
  for (const auto& [node, back] : ended.failed) take_out(node, back);
  if (comes_again(ended, end)) submit(std::move(ended.job), ended.submitted, ended.interruptions + 1);
}

// Nodes that fail

/// Nodes fail from the first submission on, for as long as there are jobs.
void Loop::start_failures() {
  if (parts_.failures == nullptr || nodes_fail_ || submitted_ == 0) return;
  nodes_fail_ = true;
  parts_.failures->start({[this](NodeId node, const Time& back) { node_failed(node, back); },
                          [this](NodeId node, const Time& back) { node_postponed(node, back); },
                          [this](NodeId node) { node_repaired(node); }, [this] { count_idle_failure(); }});
}

/// Ends a run in which nothing runs any more: failures at random would go on for ever. Outages end by themselves.
void Loop::count_idle_failure() {
  constexpr std::int32_t most_idle = 100'000;
  if (running_ == 0 && active_.size() > 0 && ++idle_failures_ > most_idle)  // what runs ends by itself
    throw core::SimulationError(
        fmt::format("nodes failed {} times while jobs waited and none ran: too many are out for them, {} of "
                    "{} nodes are free",
                    most_idle, parts_.free.count(), all_nodes_));
}

/// Ends the job that holds the node, if any: the node is out as soon as the job has given it back.
void Loop::node_failed(NodeId node, const Time& back) {
  if (parts_.free.is_free(node)) return take_out(node, back);
  for (const auto& [id, slot] : slots_) {
    auto& active = active_[slot];
    if (std::find(active.nodes.begin(), active.nodes.end(), node) == active.nodes.end()) continue;
    active.failed.emplace_back(node, back);
    if (active.failed.size() == 1) parts_.run_times.kill(id);  // else it is about to end
    return;
  }
  TOROID_ASSERT(false);  // a node is free, out, or held
}

/// A node that is out comes back later than its scheduler was told. One whose job is about to end is not out yet.
void Loop::node_postponed(NodeId node, const Time& back) {
  for (const auto& [id, slot] : slots_)
    for (auto& [failed, when] : active_[slot].failed)
      if (failed == node) {
        when = back;
        return;
      }
  changed_ = true;
  const Time now = parts_.clock.now();
  parts_.scheduler.ended(outage(node), now);
  parts_.scheduler.node_out(outage(node), now, back);
}

void Loop::take_out(NodeId node, const Time& back) {
  changed_ = true;
  const Time now = parts_.clock.now();
  parts_.free.take({&node, 1});
  ++out_;
  parts_.scheduler.node_out(outage(node), now, back);
  for (auto* observer : parts_.observers) observer->node_out(node, now);
}

void Loop::node_repaired(NodeId node) {
  changed_ = true;
  parts_.scheduler.ended(outage(node), parts_.clock.now());
  parts_.free.give_back({&node, 1});
  TOROID_ASSERT(out_ > 0);
  --out_;
  for (auto* observer : parts_.observers) observer->node_back(node, parts_.clock.now());
}

Loop::Active Loop::leave(Slot slot, End end) {
  const auto told = record(active_[slot], end);
  for (auto* observer : parts_.observers) observer->ended(told);
  auto gone = std::exchange(active_[slot], {});
  slots_.erase(gone.id);
  active_.remove(slot);
  if (!comes_again(gone, end)) release_dependent(gone.job);
  return gone;
}

bool Loop::comes_again(const Active& active, End end) const {
  return end == End::interrupted && active.interruptions < options_.failures.requeues;
}

Record Loop::record(const Active& active, End end) const {
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
