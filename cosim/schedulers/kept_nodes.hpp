#pragma once
// What is kept for the first job of the queue where to count free nodes does not suffice.

#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {

/// The time from which on a job has nodes, if the running jobs end by their estimates. Other jobs may run beyond that
/// time on at most `spare` nodes, and on none of the `nodes`.
struct Reservation {
  static constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();

  JobId job = 0;  ///< 0: none
  Time from = {};
  std::int32_t spare = unlimited;
  std::span<const NodeId> nodes = {};

  /// Whether another job that starts now ends by that time, by its estimate.
  bool is_after(const Queued& other, const Time& now) const { return now + other.estimate <= from; }
};

/// Keeps nodes for the first job of the queue: those that the allocator would give it at the earliest time at which it
/// would give it any, by the estimates; if any free ones will do, only as many as the job wants. Whenever nodes become
/// free, an earlier time is sought; the time becomes a later one only when nodes fail or jobs grow. If the allocator
/// cannot say what it would do, a refused job waits for the end of all jobs that ran when it was refused.
class KeptNodes {
 public:
  /// Whether nodes must be kept for the first job of the queue, as it does not suffice to count free ones.
  static bool are_needed(const QueueScheduler::Waiting& first, const View& view) {
    return view.outlook != nullptr && (view.outlook->is_known() || first.was_refused());
  }

  /// Seeks nodes for the first job of the queue, not before `earliest`. Nodes come free as running jobs end and as
  /// reservations do. Returns whether other nodes are kept than before.
  bool update(const QueueScheduler::Waiting& first, const Time& earliest, const QueueScheduler::RunningJobs& by_end,
              const std::vector<Reserved>& reservations, Outlook& outlook);
  bool are_for(JobId job) const { return reservation_.job == job; }
  const Reservation& reservation() const { return reservation_; }
  /// Whether a job may start now on other nodes than the kept ones.
  bool lets_start(const Queued& job, const Time& now) const {
    return are_for(job.id) || reservation_.is_after(job, now) || job.nodes <= reservation_.spare;
  }
  /// The kept nodes that a job must not get if it starts now.
  std::span<const NodeId> from(const Queued& job, const Time& now) const {
    return are_for(job.id) || reservation_.is_after(job, now) ? std::span<const NodeId>() : reservation_.nodes;
  }
  /// The nodes that are kept for a job that starts; none if they are kept for another one.
  std::span<const NodeId> of(JobId job) const { return are_for(job) ? reservation_.nodes : std::span<const NodeId>(); }

  /// Says that nodes have become free, so that there may be an earlier time.
  void seek_again() { seek_again_ = true; }
  /// Says that nodes were taken without asking, so that the reservation may be wrong.
  void forget() { reservation_ = {}; }
  /// Forgets what is not for the first job of the queue, which takes what it finds when it comes to the front, and
  /// nodes that this job does not get any more: jobs on them have outlasted their estimates, and the nodes are reserved
  /// soon. What is counted alone is counted anew each time.
  void forget_late(const Queued& first, const View& view) {
    if (!are_for(first.id) || view.counts || reserved_from_ < view.now + first.estimate || reserved_from_ <= view.now)
      forget();
  }

 private:
  Reservation reservation_;
  Allocation nodes_;
  Time reserved_from_ = Time::never();  ///< when one of the nodes is reserved
  bool seek_again_ = false;
};

}  // namespace toroid::cosim
