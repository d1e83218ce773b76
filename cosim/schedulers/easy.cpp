#include <algorithm>
#include <limits>

#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// EASY backfilling: the first job of the queue has a reservation; others may overtake it if they do not delay that.
/// In detail as the simulations of Walker, Bunde and Leung 2010 have it:
/// - The reservation is for the time at which enough nodes come free for the first job, by the estimates of the running
///   jobs.
/// - Another job, the first in the queue that can, is started if it ends (by its estimate) by the time of the
///   reservation, or if what is free then suffices for both.
/// - While a running job is to end at this very instant nothing is started: its end is yet to come.
/// Where an allocator refuses the first job although enough nodes are free, it is reserved the time of the next end.
class Easy final : public QueueScheduler {
 public:
  explicit Easy(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<JobId> next(const View& view) override {
    if (queue().empty()) return std::nullopt;
    if (!running().empty() && running().front().expected_end == view.now) return std::nullopt;
    const auto& first = queue().begin()->second;
    if (fits(first, view)) return first.id;
    const auto reserved = reservation(first, view);
    if (reserved.job != reserved_.job || reserved.from != reserved_.from) candidates_ = front;
    reserved_ = reserved;
    return backfill(view);
  }

  void submitted(const Queued& job) override {
    QueueScheduler::submitted(job);
    candidates_ = std::min(candidates_, key(job));
  }
  void ended(JobId job, const Time& now) override {
    QueueScheduler::ended(job, now);
    candidates_ = front;
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    QueueScheduler::resized(job, nodes, now);
    candidates_ = front;
  }
  void freed() override {
    QueueScheduler::freed();
    candidates_ = front;
  }

 private:
  static constexpr Key front{-std::numeric_limits<double>::infinity(), 0};
  static constexpr Key behind{std::numeric_limits<double>::infinity(), 0};

  struct Reservation {
    JobId job = 0;
    Time from;
    std::int32_t spare = 0;  ///< nodes that are free then and that it does not need
  };

  /// It follows from what runs and from who is the first: no state to be kept, that something might make untrue.
  Reservation reservation(const Waiting& first, const View& view) const {
    Reservation reserved{first.id, view.now, view.free - first.nodes};
    bool waits = first.refused;  // for any node that comes free
    for (const auto& job : running()) {
      if (!waits && reserved.spare >= 0 && reserved.from < job.expected_end) break;
      waits = false;
      reserved.spare += job.nodes;
      reserved.from = std::max(reserved.from, job.expected_end);
    }
    return reserved;
  }

  /// What could not overtake the same reservation before cannot do so now, unless something has ended: time goes on,
  /// nodes are taken. So each job is looked at once, not again with every job that is submitted or started.
  std::optional<JobId> backfill(const View& view) {
    for (auto at = queue().lower_bound(candidates_); at != queue().end(); ++at) {
      const auto& job = at->second;
      candidates_ = at->first;
      const bool delays = reserved_.from < view.now + job.estimate && reserved_.spare < job.nodes;
      if (job.id != reserved_.job && fits(job, view) && !delays) return job.id;
    }
    candidates_ = behind;
    return std::nullopt;
  }

  Reservation reserved_;    ///< as it was when jobs were looked at last
  Key candidates_ = front;  ///< jobs before this cannot overtake it
};

}  // namespace

core::Entry<MakeScheduler> easy_scheduler() {
  return {"easy",
          "EASY backfilling: whoever does not delay the first job of the queue may overtake it",
          make<Easy>,
          {queue_order}};
}

}  // namespace toroid::cosim
