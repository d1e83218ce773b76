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

void QueueScheduler::refused(JobId job) {
  waiting(job).refused = waiting(job).was_refused = true;
  refused_.push_back(job);
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
}

void QueueScheduler::node_out(JobId id, const Time& now, const Time& until) {
  run({until, id, 1, now});
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
}

void QueueScheduler::ended(JobId job, const Time&) {
  running_.erase(find_running(job));
}

void QueueScheduler::ask_again() {
  for (const JobId job : refused_)
    if (keys_.contains(job)) waiting(job).refused = false;
  refused_.clear();
}

}  // namespace toroid::cosim
