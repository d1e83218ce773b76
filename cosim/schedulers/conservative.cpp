#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cosim/schedulers/profile.hpp"
#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// Conservative backfilling (Mu'alem and Feitelson 2001): every job is planned when it is submitted, at the first time
/// at which it fits for as long as its estimate says, beside all that run and all that are planned. When one ends early
/// the others are planned again, one after the other in the order of the queue, each with the plans of all others in
/// place: so none comes later than it was promised. That holds where any nodes suit and none fails; a job that the
/// allocator refuses starts as soon after its time as it can. Work for each end in proportion to the square of the
/// waiting jobs.
class Conservative final : public QueueScheduler {
 public:
  explicit Conservative(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<JobId> next(const View& view) override {
    if (!profile_) profile_.emplace(view.now, view.free);  // nothing runs yet
    profile_->forget_before(view.now);
    for (const JobId job : unplanned_) plan(waiting(job), view.now);
    unplanned_.clear();
    if (plans_again_) plan_again(view.now);
    next_plan_ = Time::never();
    for (const auto& [key, job] : queue()) {
      if (job.planned <= view.now && fits(job, view)) return job.id;
      if (view.now < job.planned)
        next_plan_ = std::min(next_plan_, job.planned);
      else
        any_late_ = true;
    }
    return std::nullopt;
  }

  /// Plans follow ends, unless some are late.
  Time wake() const override { return next_plan_; }

  void submitted(const Queued& job) override {
    Queued planned = job;
    planned.estimate = std::max(job.estimate, shortest);
    QueueScheduler::submitted(planned);
    unplanned_.push_back(job.id);
  }

  void started(JobId job, std::int32_t nodes, const Time& now) override {
    const auto& plan = waiting(job);
    unplan(plan);
    profile_->add(now, now + plan.estimate, -nodes);
    if (plan.planned < now || nodes > plan.nodes) plans_again_ = true;
    QueueScheduler::started(job, nodes, now);
  }

  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    const auto entry = find_running(job);
    profile_->add(now, entry->expected_end, entry->nodes - nodes);
    plans_again_ = true;
    QueueScheduler::resized(job, nodes, now);
  }

  void node_out(JobId id, const Time& now, const Time& until) override {
    profile_->add(now, until, -1);
    plans_again_ = promises_broken_ = true;
    QueueScheduler::node_out(id, now, until);
  }

  void ended(JobId job, const Time& now) override {
    const auto entry = find_running(job);
    if (now < entry->expected_end) profile_->add(now, entry->expected_end, entry->nodes);
    if (now != entry->expected_end || any_late_) plans_again_ = true;
    QueueScheduler::ended(job, now);
  }

  void withdrawn(JobId job) override {
    const auto before = unplanned_.size();
    std::erase(unplanned_, job);
    if (unplanned_.size() == before) unplan(waiting(job));
    QueueScheduler::withdrawn(job);
  }

 private:
  void plan(Waiting& job, const Time& now) {
    job.planned = profile_->earliest(now, job.nodes, job.estimate);
    if (job.planned < Time::never()) profile_->add(job.planned, job.planned + job.estimate, -job.nodes);
  }
  void unplan(const Waiting& job) {
    if (job.planned < Time::never()) profile_->add(job.planned, job.planned + job.estimate, job.nodes);
  }
  void plan_again(const Time& now) {
    plans_again_ = any_late_ = false;
    if (std::exchange(promises_broken_, false))
      for (auto& [key, job] : queue()) {
        unplan(job);
        job.planned = Time::never();
      }
    for (auto& [key, job] : queue()) {
      unplan(job);
      plan(job, now);
    }
  }

  /// A job of no length needs its nodes for a moment all the same.
  static constexpr Time shortest{1e-9};

  std::optional<Profile> profile_;
  std::vector<JobId> unplanned_;
  bool plans_again_ = false;
  bool promises_broken_ = false;  ///< by a node that failed: then all plans are made anew, in the order of the queue
  bool any_late_ = false;         ///< planned for a time that has come
  Time next_plan_ = Time::never();
};

}  // namespace

core::Entry<MakeScheduler> conservative_scheduler() {
  return {"conservative",
          "conservative backfilling: whoever delays no other job of the queue may overtake",
          make<Conservative>,
          {queue_order}};
}

}  // namespace toroid::cosim
