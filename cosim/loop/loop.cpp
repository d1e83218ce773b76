#include "cosim/loop/loop.hpp"

#include <set>

namespace toroid::cosim {

/// Why a job does not start, in Slurm's words.
constexpr std::string_view reserved_soon = "ReqNodeNotAvail, Reserved for maintenance";

void refuse_large(const jobs::Job& job, const Machine& machine, std::int32_t free, std::string_view why) {
  core::fail_input(
      "job {}: its {} nodes never fit on {}, where {} are free at the beginning{}{}; LOG:per-node=CORES if the log "
      "counts cores, --too-large reject leaves such jobs out",
      job.id(), job.size, machine.name(), free, why.empty() ? "" : ": ", why);
}

Loop::Loop(Parts parts, Options options)
    : parts_(std::move(parts)), options_(options), freed_(parts_.free), all_nodes_(parts_.free.count()) {
  if (parts_.allocator.uses_logged_nodes()) logged_nodes_.emplace(parts_.free.machine());
}

void Loop::run() {
  for (const auto& part : parts_.reserved.parts()) parts_.scheduler.reserved({part.from, part.until, part.nodes});
  await_reservation_end();
  parts_.clock.after_instant([this] {
    // First what fails in this very instant, so that no job starts on it; last, whether anything is left to fail for.
    start_failures();
    schedule();
    if (!submissions_->are_over() || active_.size() > 0) return;
    if (parts_.failures != nullptr) parts_.failures->stop();
    if (reservation_timer_) parts_.clock.cancel(*std::exchange(reservation_timer_, std::nullopt));
  });
  submissions_.emplace(parts_.jobs, parts_.clock,
                       [this](jobs::Job job) { submit(std::move(job), parts_.clock.now(), 0); });
  parts_.clock.run();
  if (active_.size() == 0) return;
  JobId first = submitted_;
  for (const auto& [id, slot] : slots_) first = std::min(first, id);
  throw core::SimulationError(fmt::format("{} jobs wait for ever, the first of them is job {}: {} of {} nodes are free",
                                          active_.size(), active_[slots_.at(first)].job.id(), parts_.free.count(),
                                          all_nodes_));
}

void Loop::timer_ended(std::uint32_t payload) {
  if (payload == wake) {
    wake_timer_.reset();
    happened();
  } else {
    freed_.note();
    await_reservation_end();
  }
}

// Submission

/// The job comes into the queue now, whenever it was submitted first.
void Loop::submit(jobs::Job job, const Time& submitted, std::int32_t interruptions) {
  TOROID_ASSERT(submitted <= parts_.clock.now() && interruptions >= 0 && active_.size() == slots_.size());
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
  happened();
  const auto nodes = first_demand(active.job, options_);
  const Time logged_start = interruptions > 0 ? now : now + logged_wait;
  parts_.scheduler.submitted({id, nodes, now, active.estimate, logged_start, active.job.id(), active.job.notes});
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

/// The machine is too small for the job, or the allocator finds no nodes for it even if all are free.
void Loop::reject(JobId id) {
  const auto slot = slots_.at(id);
  const auto& job = active_[slot].job;
  if (options_.too_large == Options::TooLarge::fail)
    refuse_large(job, parts_.free.machine(), all_nodes_, active_[slot].reason);
  parts_.scheduler.withdrawn(id);
  active_[slot].started = parts_.clock.now();
  leave(slot, End::rejected);
}

// Scheduling

void Loop::schedule() {
  if (freed_.take_news()) {
    happened();
    parts_.scheduler.freed();
  }
  if (scheduling_ != Scheduling::due) return;
  scheduling_ = Scheduling::done;
  while (!is_allocating()) {
    const bool counts = parts_.allocator.counting_suffices();
    const bool needs_no_outlook = counts && parts_.reserved.parts().empty();
    const auto start = parts_.scheduler.next(
        {parts_.clock.now(), parts_.free.count(), needs_no_outlook ? nullptr : this, counts, this});
    if (!start) break;
    ask(*start);
  }
  if (!is_allocating()) set_wake();
  tell_reserved();
  TOROID_ASSERT_HEAVY(is_allocating() || nodes_add_up());
  for (auto* observer : parts_.observers) observer->settled(parts_.clock.now());
}

/// Whether each node is held by a job, free or out; or on its way, where allocators send messages.
bool Loop::nodes_add_up() const {
  auto nodes = out_ + parts_.free.count();
  for (const auto& [id, slot] : slots_) nodes += static_cast<std::int32_t>(active_[slot].nodes.size());
  return is_known() ? nodes == all_nodes_ : nodes <= all_nodes_;
}

alloc::Request Loop::request(const Active& active) const {
  return {
      .job = active.id, .nodes = first_demand(active.job, options_), .shape = {}, .held = {}, .logged = active.logged};
}

void Loop::ask(const Start& start) {
  TOROID_ASSERT(slots_.contains(start.job));
  const auto& asked = active_[slots_.at(start.job)];
  TOROID_ASSERT(asked.nodes.empty());  // the job waits
  scheduling_ = Scheduling::allocating;
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
    return parts_.free.is_free(node) && std::ranges::find(reserved_, node) == reserved_.end();
  };
  if (!nodes && !start.reserved.empty() && std::ranges::all_of(start.reserved, is_free))
    nodes.emplace(start.reserved.begin(), start.reserved.end());
  if (nodes) parts_.free.take(*nodes);
  return nodes;
}

/// What the allocator would give if neither these nor those nodes were free.
std::optional<Allocation> Loop::choose_without(const alloc::Request& request, std::span<const NodeId> these,
                                               std::span<const NodeId> those) {
  FreedNodes::Supposing supposed(freed_);
  supposed.taken(these);
  supposed.taken(those);
  return parts_.allocator.local()->choose(request);
}

void Loop::decided(const Start& start, std::optional<Allocation> nodes) {
  TOROID_ASSERT(is_allocating());
  scheduling_ = Scheduling::due;
  TOROID_ASSERT(slots_.contains(start.job));
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

std::optional<Loop::Nodes> Loop::first_nodes(JobId job, std::span<const Step> steps) {
  FreedNodes::Supposing supposed(freed_);
  const auto& active = active_[slots_.at(job)];
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const auto& [time, ending] = steps[step];
    TOROID_ASSERT(step == 0 || steps[step - 1].time <= time);
    for (const auto holder : ending) suppose_ended(holder, supposed);
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

const Loop::Active& Loop::waiting(JobId job) const {
  const auto found = slots_.find(job);
  if (found == slots_.end() || !active_[found->second].nodes.empty())
    core::fail_input("job {}: does not wait; expected a job that does", job);
  return active_[found->second];
}

std::optional<Allocation> Loop::nodes_for(JobId job) {
  const auto& active = waiting(job);
  if (!is_known()) return std::nullopt;
  return choose_without(request(active), parts_.reserved.within(parts_.clock.now(), active.estimate), {});
}

double Loop::cost(JobId job, std::span<const NodeId> nodes) {
  const auto& active = waiting(job);
  const auto& machine = parts_.free.machine();
  const std::set<NodeId> distinct(nodes.begin(), nodes.end());
  const auto wanted = first_demand(active.job, options_);
  if (std::ssize(distinct) < wanted || distinct.size() < nodes.size() || !std::ranges::all_of(nodes, [&](NodeId node) {
        return node >= 0 && node.value() < machine.node_count() && machine.computes(node);
      }))
    core::fail_input("job {}: found {} nodes to ask the cost of, expected {} of {} that compute, each once",
                     active.job.id(), nodes.size(), wanted, machine.name());
  return parts_.run_times.cost({active.job, active.id, nodes, Time::never()});
}

void Loop::refused_like(JobId job, JobId alike) {
  const auto other = slots_.find(alike);  // if it has not been rejected
  if (other != slots_.end()) active_[slots_.at(job)].reason = active_[other->second].reason;
}

void Loop::suppose_ended(HolderId holder, alloc::Supposed& supposed) const {
  if (holder.is_job()) return supposed.given_back(active_[slots_.at(holder.job())].nodes);
  const NodeId node = holder.out();
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

}  // namespace toroid::cosim
