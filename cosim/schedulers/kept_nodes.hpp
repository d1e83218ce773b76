#pragma once
// What is kept for the first job of the queue where to count free nodes does not suffice.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {

/// A time from which on a job has nodes, if those that run end by their estimates. Another one may run beyond that time
/// on `spare` nodes at most, and on none of the `nodes`.
struct Reservation {
  static constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();

  JobId job = 0;  ///< 0: none
  Time from = {};
  std::int32_t spare = unlimited;
  std::span<const NodeId> nodes = {};

  /// Whether a job that starts now ends by that time, as far as is known.
  bool is_after(const Queued& other, const Time& now) const { return now + other.estimate <= from; }
};

/// Keeps for the first job of the queue the nodes that it would get at the first time at which the allocator would give
/// it any, as far as is known. Whenever nodes come free they are sought again, for an earlier time: it never becomes a
/// later one, whatever the allocator says then, but where nodes fail or jobs grow. Of an allocator that does not say
/// what it would do, a job that it has refused waits for all to end that ran then.
class KeptNodes {
 public:
  /// Whether they are known, or the time alone, which the allocator does not say.
  static bool are_needed(const QueueScheduler::Waiting& first, const View& view) {
    return view.outlook != nullptr && (view.outlook->is_known() || first.was_refused());
  }

  /// For the first of the queue, not before some time from now on. True if other nodes are kept than before.
  bool update(const QueueScheduler::Waiting& first, const Time& earliest,
              const std::vector<QueueScheduler::Running>& by_end, Outlook& outlook);
  bool are_for(JobId job) const { return reservation_.job == job; }
  const Reservation& reservation() const { return reservation_; }
  /// For a job that starts; none if they are another's.
  std::span<const NodeId> of(JobId job) const { return are_for(job) ? reservation_.nodes : std::span<const NodeId>(); }

  /// Nodes have come free: there may be an earlier time.
  void seek_again() { seek_again_ = true; }
  /// Nodes were taken without asking: what was promised may be wrong.
  void forget() { reservation_ = {}; }

 private:
  Reservation reservation_;
  Allocation nodes_;
  bool seek_again_ = false;
};

}  // namespace toroid::cosim
