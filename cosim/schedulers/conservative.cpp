#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cosim/schedulers/kept_nodes.hpp"
#include "cosim/schedulers/profile.hpp"
#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// Conservative backfilling (Mu'alem and Feitelson 2001): every job is planned when it is submitted, at the first time
/// at which it fits for as long as its estimate says, beside all that run and all that are planned. When one ends early
/// those that wait move up, one after the other in the order of the queue, each with the plans of all others in place:
/// so none comes later than it was promised. Newcomers of that instant are planned after that.
/// Where an allocator may refuse a job although enough nodes are free this holds for the first of the queue alone, for
/// which nodes are kept (KeptNodes) from its time on, or as soon after that as it would get any: that is its plan, from
/// which the others have to keep away. One of these that is refused starts as soon as it gets nodes.
class Conservative final : public QueueScheduler {
 public:
  explicit Conservative(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<Start> next(const View& view) override {
    if (!profile_) begin_profile(view);
    profile_->forget_before(view.now);
    settle(view.now);
    for (const JobId job : std::exchange(unplanned_, {})) plan(waiting(job), view.now);
    if (!queue().empty()) keep_nodes(view);
    next_plan_ = Time::never();
    for (auto& [key, job] : queue()) {
      if (fits(job, view) && may_start(job, view))
        if (const auto start = ask(job, view, kept_from(job, view), kept_.of(job.id))) return start;
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
    if (plan.planned != now || nodes > plan.nodes) unsettle(Plans::in_doubt);
    unplan(plan);
    profile_->add(now, now + plan.estimate, -nodes);
    QueueScheduler::started(job, nodes, now);
  }

  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    const auto& entry = running(job);
    profile_->add(now, entry.expected_end, entry.nodes - nodes);
    unsettle(Plans::in_doubt);
    kept_.forget();
    QueueScheduler::resized(job, nodes, now);
  }

  void node_out(JobId id, const Time& now, const Time& until) override {
    if (profile_) profile_->add(now, until, -1);
    unsettle(Plans::broken);
    kept_.forget();
    QueueScheduler::node_out(id, now, until);
  }

  void ended(JobId job, const Time& now) override {
    const auto& entry = running(job);
    if (profile_ && now < entry.expected_end) profile_->add(now, entry.expected_end, entry.nodes);
    if (now != entry.expected_end || any_late_) unsettle(Plans::may_move_up);
    kept_.seek_again();
    QueueScheduler::ended(job, now);
  }

  void freed() override {
    QueueScheduler::freed();
    kept_.seek_again();
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
  /// Whether the plans of waiting jobs still hold.
  enum class Plans : std::uint8_t {
    hold,
    may_move_up,  ///< nodes come free earlier than was planned with
    in_doubt,     ///< some nodes are taken that they were made with
    broken        ///< by a node that failed: all are made anew, in the order of the queue
  };
  void unsettle(Plans plans) { plans_ = std::max(plans_, plans); }

  /// When it is asked first, nothing runs, but nodes may be out already.
  void begin_profile(const View& view) {
    std::int32_t out = 0;
    for (const auto& entry : running()) out += entry.nodes;
    profile_.emplace(view.now, view.free + out);
    for (const auto& entry : running()) profile_->add(view.now, entry.expected_end, -entry.nodes);
    for (const auto& reserved : reservations()) profile_->add(reserved.from, reserved.until, -reserved.nodes);
  }

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
      if (kept_.are_for(job.id)) continue;
      if (plans == Plans::may_move_up && now < job.planned) {
        move_up(job, now);
      } else {
        unplan(job);
        plan(job, now);
      }
    }
  }

  /// The first of the queue is planned for the time from which on nodes are kept for it, and all others beside that.
  void keep_nodes(const View& view) {
    auto& first = queue().begin()->second;
    if (!KeptNodes::are_needed(first, view)) return kept_.forget();
    kept_.forget_late(first, view.now);
    Time earliest = std::max(view.now, first.planned);
    if (kept_.are_for(first.id)) earliest = profile_->earliest(view.now, first.nodes, first.estimate, first.planned);
    if (kept_.update(first, earliest, running(), reservations(), *view.outlook)) ask_again();
    if (first.planned == kept_.reservation().from) return;
    unplan(first);
    plan_at(first, kept_.reservation().from);
    unsettle(Plans::in_doubt);
    settle(view.now);
  }

  bool may_start(const Waiting& job, const View& view) const {
    const auto& kept = kept_.reservation();
    const bool had_its_time = view.outlook != nullptr && job.was_refused();
    return (job.planned <= view.now || had_its_time) &&
           (kept_.are_for(job.id) || kept.is_after(job, view.now) || job.nodes <= kept.spare);
  }
  /// Nodes that it must not get.
  std::span<const NodeId> kept_from(const Waiting& job, const View& view) const {
    const auto& kept = kept_.reservation();
    return kept_.are_for(job.id) || kept.is_after(job, view.now) ? std::span<const NodeId>() : kept.nodes;
  }

  void plan(Waiting& job, const Time& now) { plan_at(job, profile_->earliest(now, job.nodes, job.estimate)); }
  /// Plans a job earlier if it can start earlier. Its nodes are free at the planned time, so only earlier ones count.
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

  /// A job of no length needs its nodes for a moment all the same. Sums of it and of whole seconds are exact in
  /// doubles, too.
  static constexpr Time shortest{0x1p-30};

  std::optional<Profile> profile_;
  KeptNodes kept_;  ///< those for the first of the queue
  std::vector<JobId> unplanned_;
  Plans plans_ = Plans::hold;
  bool any_late_ = false;  ///< planned for a time that has come
  Time next_plan_ = Time::never();
};

}  // namespace

core::Entry<MakeScheduler> conservative_scheduler() {
  return {"conservative",
          "conservative backfilling: all jobs of the queue have reservations; later jobs that delay none of them may "
          "overtake",
          make<Conservative>,
          {queue_order}};
}

}  // namespace toroid::cosim
