#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {

const core::Parameter<Order> queue_order{"order", "which of the waiting jobs comes first",
                                         core::one_of<Order>({{"arrival", Order::arrival},
                                                              {"shortest", Order::shortest},
                                                              {"longest", Order::longest},
                                                              {"smallest", Order::smallest},
                                                              {"largest", Order::largest}}),
                                         "arrival"};

QueueScheduler::Key QueueScheduler::key(const Queued& job) const {
  switch (order_) {
    case Order::arrival:
      break;
    case Order::shortest:
      return {job.estimate.seconds(), job.id};
    case Order::longest:
      return {-job.estimate.seconds(), job.id};
    case Order::smallest:
      return {job.nodes, job.id};
    case Order::largest:
      return {-job.nodes, job.id};
  }
  return {0, job.id};
}

void QueueScheduler::submitted(const Queued& job) {
  TOROID_ASSERT(job.nodes > 0 && !keys_.contains(job.id));
  const auto place = key(job);
  queue_.emplace(place, Waiting{job});
  keys_.emplace(job.id, place);
  TOROID_ASSERT(queue_.size() == keys_.size());
}

void QueueScheduler::reorder() {
  for (auto before = std::exchange(queue_, {}); !before.empty();) {
    auto entry = before.extract(before.begin());
    keys_.at(entry.mapped().id) = entry.key() = key(entry.mapped());
    queue_.insert(std::move(entry));
  }
  TOROID_ASSERT(queue_.size() == keys_.size());
}

std::optional<Start> QueueScheduler::ask(Waiting& job, const View& view, std::span<const NodeId> kept,
                                         std::span<const NodeId> reserved) {
  auto& sizes = refused_sizes_[reservations_before_end(job, view.now)][kept.empty() ? 0 : 1];
  if (const auto alike = sizes.refused(job.nodes); reserved.empty() && alike) {
    job.refused_in = round_;
    view.outlook->refused_like(job.id, *alike);
    return std::nullopt;
  }
  // An allocator that sends messages does so for every job.
  asked_ = view.outlook != nullptr && view.outlook->is_known() ? &sizes : nullptr;
  return Start{job.id, kept, reserved};
}

void QueueScheduler::refused(JobId id) {
  auto& job = waiting(id);
  job.refused_in = round_;
  if (asked_ != nullptr) asked_->add(job.nodes, id);
}

void QueueScheduler::leave(JobId job) {
  const auto key = keys_.find(job);
  TOROID_ASSERT(key != keys_.end());
  queue_.erase(key->second);
  keys_.erase(key);
}

void QueueScheduler::started(JobId job, std::int32_t nodes, const Time& now) {
  TOROID_ASSERT(nodes >= waiting(job).nodes && waiting(job).submitted <= now);
  const Running entry{now + waiting(job).estimate, job, nodes, now};
  leave(job);
  run(entry);
  forget_refused_sizes();
}

void QueueScheduler::node_out(NodeId node, const Time& now, const Time& until) {
  run({until, HolderId(node), 1, now});
  forget_refused_sizes();
}

void QueueScheduler::run(const Running& entry) {
  const auto [at, is_new] = running_.insert(entry);
  TOROID_ASSERT(is_new);
  entries_.emplace(entry.id, at);
}

const QueueScheduler::Running& QueueScheduler::running(HolderId holder) const {
  const auto found = entries_.find(holder);
  TOROID_ASSERT(found != entries_.end());
  return *found->second;
}

bool QueueScheduler::one_ends_at_once(const Time& now) const {
  auto job = running_.lower_bound({now, HolderId::first()});
  while (job != running_.end() && job->expected_end == now && job->started != now) ++job;
  return job != running_.end() && job->expected_end == now;
}

QueueScheduler::Running QueueScheduler::take_from_running(HolderId holder) {
  const Running entry = running(holder);
  running_.erase(entries_.at(holder));
  entries_.erase(holder);
  TOROID_ASSERT(running_.size() == entries_.size());
  return entry;
}

void QueueScheduler::resized(JobId job, std::int32_t nodes, const Time&) {
  auto entry = take_from_running(job);
  entry.nodes = nodes;
  run(entry);
  forget_refused_sizes();
}

void QueueScheduler::ended(HolderId holder, const Time&) {
  take_from_running(holder);
  forget_refused_sizes();
}

void QueueScheduler::reserved(const Reserved& reserved) {
  TOROID_ASSERT(reserved.from < reserved.until &&
                (reservations_.empty() || reservations_.back().from <= reserved.from));
  reservations_.push_back(reserved);
  refused_sizes_.emplace_back();
}

std::size_t QueueScheduler::reservations_before_end(const Queued& job, const Time& now) const {
  const auto end = now + job.estimate;
  const auto begins_before = [&](const Reserved& r) { return r.from < end || r.from <= now; };
  return static_cast<std::size_t>(std::partition_point(reservations_.begin(), reservations_.end(), begins_before) -
                                  reservations_.begin());
}

void QueueScheduler::ask_again() {
  ++round_;
  forget_refused_sizes();
}

void QueueScheduler::forget_refused_sizes() {
  for (auto& of_reservations : refused_sizes_)
    for (auto& sizes : of_reservations) sizes.clear();
}

}  // namespace toroid::cosim
