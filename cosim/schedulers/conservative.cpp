#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cosim/schedulers/profile.hpp"
#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// Conservative backfilling (Mu'alem and Feitelson 2001): every job is planned when it is submitted, at the first time
/// at which it fits for as long as its estimate says, beside all that run and all that are planned. When one ends early
/// those that wait move up, one after the other in the order of the queue, each with the plans of all others in place:
/// so none comes later than it was promised. Newcomers of that instant are planned after that. This holds where any
/// nodes suit and none fails; a job that the allocator refuses starts as soon after its time as it can.
class Conservative final : public QueueScheduler {
 public:
  explicit Conservative(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<JobId> next(const View& view) override {
    if (!profile_) profile_.emplace(view.now, view.free);  // nothing runs yet
    profile_->forget_before(view.now);
    settle(view.now);
    for (const JobId job : std::exchange(unplanned_, {})) plan(waiting(job), view.now);
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
    auto& plan = waiting(job);
    if (plan.planned < now || nodes > plan.nodes) unsettle(Plans::in_doubt);
    unplan(plan);
    profile_->add(now, now + plan.estimate, -nodes);
    QueueScheduler::started(job, nodes, now);
  }

  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    const auto entry = find_running(job);
    profile_->add(now, entry->expected_end, entry->nodes - nodes);
    unsettle(Plans::in_doubt);
    QueueScheduler::resized(job, nodes, now);
  }

  void node_out(JobId id, const Time& now, const Time& until) override {
    profile_->add(now, until, -1);
    unsettle(Plans::broken);
    QueueScheduler::node_out(id, now, until);
  }

  void ended(JobId job, const Time& now) override {
    const auto entry = find_running(job);
    if (now < entry->expected_end) profile_->add(now, entry->expected_end, entry->nodes);
    if (now != entry->expected_end || any_late_) unsettle(Plans::may_move_up);
    QueueScheduler::ended(job, now);
  }

  void withdrawn(JobId job) override {
    const auto before = unplanned_.size();
    std::erase(unplanned_, job);
    if (unplanned_.size() == before) {
      unplan(waiting(job));
      unsettle(Plans::may_move_up);
    }
    QueueScheduler::withdrawn(job);
  }

 private:
  /// What has become of the plans since they were made.
  enum class Plans : std::uint8_t {
    hold,
    may_move_up,  ///< nodes come free earlier than was planned with
    in_doubt,     ///< some nodes are taken that they were made with
    broken        ///< by a node that failed: all are made anew, in the order of the queue
  };
  void unsettle(Plans plans) { plans_ = std::max(plans_, plans); }

  void settle(const Time& now) {
    const auto plans = std::exchange(plans_, Plans::hold);
    if (plans == Plans::hold) return;
    any_late_ = false;
    if (plans == Plans::broken) {
      for (auto& [key, job] : queue()) unplan(job);
      unplanned_.clear();
    }
    for (auto& [key, job] : queue()) {
      if (job.planned == Time::never() && plans != Plans::broken) continue;  // a newcomer
      if (plans == Plans::may_move_up && now < job.planned) {
        move_up(job, now);
      } else {
        unplan(job);
        plan(job, now);
      }
    }
  }

  void plan(Waiting& job, const Time& now) { plan_at(job, profile_->earliest(now, job.nodes, job.estimate)); }
  /// Its nodes are there at its own time, so only what is free before that counts.
  void move_up(Waiting& job, const Time& now) {
    const Time time = profile_->earliest(now, job.nodes, job.estimate, job.planned);
    if (time == job.planned) return;
    unplan(job);
    plan_at(job, time);
  }
  void plan_at(Waiting& job, const Time& time) {
    job.planned = time;
    if (time < Time::never()) profile_->add(time, time + job.estimate, -job.nodes);
  }
  void unplan(Waiting& job) {
    if (job.planned < Time::never()) profile_->add(job.planned, job.planned + job.estimate, job.nodes);
    job.planned = Time::never();
  }

  /// A job of no length needs its nodes for a moment all the same.
  static constexpr Time shortest{1e-9};

  std::optional<Profile> profile_;
  std::vector<JobId> unplanned_;
  Plans plans_ = Plans::hold;
  bool any_late_ = false;  ///< planned for a time that has come
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
