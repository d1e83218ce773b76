#include "cosim/schedulers/queue_scheduler.hpp"

#include <algorithm>

#include "core/assert.hpp"

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
  const auto place = key(job);
  queue_.emplace(place, Waiting{job});
  keys_.emplace(job.id, place);
}

std::optional<Start> QueueScheduler::ask(Waiting& job, const View& view, std::span<const NodeId> kept,
                                         std::span<const NodeId> reserved) {
  auto& sizes = refused_sizes_[kept.empty() ? 0 : 1];
  if (reserved.empty() && sizes.contains(job.nodes)) {
    job.refused_in = round_;
    return std::nullopt;
  }
  // One that sends messages does so for every job.
  asked_ = view.outlook != nullptr && view.outlook->is_known() ? &sizes : nullptr;
  return Start{job.id, kept, reserved};
}

void QueueScheduler::refused(JobId id) {
  auto& job = waiting(id);
  job.refused_in = round_;
  if (asked_ != nullptr) asked_->add(job.nodes);
}

void QueueScheduler::leave(JobId job) {
  const auto key = keys_.find(job);
  TOROID_ASSERT(key != keys_.end());
  queue_.erase(key->second);
  keys_.erase(key);
}

void QueueScheduler::started(JobId job, std::int32_t nodes, const Time& now) {
  const Running entry{now + waiting(job).estimate, job, nodes, now};
  leave(job);
  run(entry);
  forget_refused_sizes();
}

void QueueScheduler::node_out(JobId id, const Time& now, const Time& until) {
  run({until, id, 1, now});
  forget_refused_sizes();
}

void QueueScheduler::run(const Running& entry) {
  running_.insert(std::upper_bound(running_.begin(), running_.end(), entry), entry);
}

std::vector<QueueScheduler::Running>::iterator QueueScheduler::find_running(JobId job) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& r) { return r.id == job; });
  TOROID_ASSERT(found != running_.end());
  return found;
}

void QueueScheduler::resized(JobId job, std::int32_t nodes, const Time&) {
  find_running(job)->nodes = nodes;
  forget_refused_sizes();
}

void QueueScheduler::ended(JobId job, const Time&) {
  running_.erase(find_running(job));
  forget_refused_sizes();
}

void QueueScheduler::ask_again() {
  ++round_;
  forget_refused_sizes();
}

void QueueScheduler::forget_refused_sizes() {
  for (auto& sizes : refused_sizes_) sizes.clear();
}

}  // namespace toroid::cosim
