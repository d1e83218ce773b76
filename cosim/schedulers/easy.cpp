#include <algorithm>
#include <limits>

#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// EASY backfilling: the first job of the queue has a reservation; others may overtake it if they do not delay that.
/// In detail as the simulations of Walker, Bunde and Leung 2010 have it:
/// - The reservation is made when a job becomes the first, and anew whenever a job ends. It is for the time at which
///   enough nodes come free, by the estimates of the running jobs.
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
    if (!has_reservation_ || reserved_for_ != first.id) reserve(first, view);
    return backfill(first, view);
  }

  void submitted(const Queued& job) override {
    QueueScheduler::submitted(job);
    candidates_ = std::min(candidates_, key(job));
  }
  void ended(JobId job, const Time& now) override {
    QueueScheduler::ended(job, now);
    forget();
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    QueueScheduler::resized(job, nodes, now);
    forget();
  }
  void node_out(JobId id, const Time& now, const Time& until) override {
    QueueScheduler::node_out(id, now, until);
    forget();
  }
  void freed() override {
    QueueScheduler::freed();
    forget();
  }

 private:
  static constexpr Key front{-std::numeric_limits<double>::infinity(), 0};

  void forget() {
    has_reservation_ = false;
    candidates_ = front;
  }

  void reserve(const Waiting& first, const View& view) {
    has_reservation_ = true;
    reserved_for_ = first.id;
    candidates_ = front;
    reserved_ = view.now;
    bool waits = first.refused;  // for any node that comes free
    std::int32_t available = view.free;
    for (const auto& job : running()) {
      if (!waits && available >= first.nodes) break;
      waits = false;
      available += job.nodes;
      reserved_ = std::max(view.now, job.expected_end);
    }
  }

  /// What did not fit before does not fit now, unless something has ended: time goes on, nodes are taken. So each job
  /// is looked at once, not again with every job that is submitted or started.
  std::optional<JobId> backfill(const Waiting& first, const View& view) {
    std::int32_t free_then = view.free;
    for (const auto& job : running()) {
      if (reserved_ < job.expected_end) break;
      free_then += job.nodes;
    }
    for (auto at = queue().lower_bound(candidates_); at != queue().end(); ++at) {
      const auto& job = at->second;
      candidates_ = at->first;
      const bool delays = reserved_ < view.now + job.estimate && free_then - job.nodes < first.nodes;
      if (job.id != first.id && fits(job, view) && !delays) return job.id;
    }
    candidates_ = {std::numeric_limits<double>::infinity(), 0};
    return std::nullopt;
  }

  bool has_reservation_ = false;
  JobId reserved_for_ = 0;
  Time reserved_;
  Key candidates_ = front;  ///< jobs before this cannot overtake
};

}  // namespace

core::Entry<MakeScheduler> easy_scheduler() {
  return {"easy",
          "EASY backfilling: whoever does not delay the first job of the queue may overtake it",
          make<Easy>,
          {queue_order}};
}

}  // namespace toroid::cosim
