#include "cosim/schedulers/kept_nodes.hpp"
#include "cosim/schedulers/profile.hpp"

namespace toroid::cosim {
namespace {

/// Conservative backfilling (Mu'alem and Feitelson 2001): every job is planned when it is submitted, at the first time
/// at which it fits for as long as its estimate says, beside all that run and all that are planned. When one ends early
/// those that wait move up, one after the other in the order of the queue, each with the plans of all others in place:
/// so none comes later than it was promised. Newcomers of that instant are planned after that. When a plan does not
/// hold, all that wait are planned anew in the order of the queue, so that no plan of a later job is in the way. A job
/// of no length needs its nodes for a moment, and comes first in its instant.
/// Where an allocator may refuse a job although enough nodes are free, plans hold for the first of the queue alone, for
/// which nodes are kept (KeptNodes): its plan is for their time, and all others are planned beside that. Another job
/// that is refused at its time would hold up those behind it without being able to start: it has no plan any more.
class Conservative final : public QueueScheduler {
 public:
  explicit Conservative(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<Start> next(const View& view) override {
    if (!profile_) begin_profile(view);
    profile_->forget_before(view.now);
    if (!queue().empty()) kept_.forget_late(queue().begin()->second, view);
    settle(view.now);
    for (const JobId job : std::exchange(unplanned_, {})) plan(waiting(job), view.now);
    if (!queue().empty()) keep_nodes(view);
    next_plan_ = view.now;
    if (one_ends_at_once(view.now)) return std::nullopt;
    for (const bool is_moment : {true, false})
      for (auto& [key, job] : queue()) {
        if (is_moment != (job.estimate <= Time()) || (view.now < job.planned && has_place(job))) continue;
        if (!fits(job, view) || !kept_.lets_start(job, view.now)) continue;
        if (const auto start = ask(job, view, kept_.from(job, view.now), kept_.of(job.id))) return start;
        if (!has_place(job) && job.planned < Time::never()) return next(view);  // is refused like another one
      }
    next_plan_ = Time::never();
    for (const auto& [key, job] : queue())
      if (view.now < job.planned) next_plan_ = std::min(next_plan_, job.planned);
    return std::nullopt;
  }

  /// Plans follow ends, unless some are late.
  Time wake() const override { return next_plan_; }

  void submitted(const Queued& job) override {
    QueueScheduler::submitted(job);
    unplanned_.push_back(job.id);
  }

  void started(JobId job, std::int32_t nodes, const Time& now) override {
    auto& plan = waiting(job);
    if (nodes > plan.nodes) unsettle(Plans::broken);
    unplan(plan);
    if (Time() < plan.estimate) profile_->add(now, now + plan.estimate, -nodes);
    QueueScheduler::started(job, nodes, now);
  }

  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    const auto& entry = running(job);
    if (now < entry.expected_end) profile_->add(now, entry.expected_end, entry.nodes - nodes);
    unsettle(Plans::broken);
    kept_.forget();
    QueueScheduler::resized(job, nodes, now);
  }

  void node_out(NodeId node, const Time& now, const Time& until) override {
    if (profile_) profile_->add(now, until, -1);
    unsettle(Plans::broken);
    kept_.forget();
    QueueScheduler::node_out(node, now, until);
  }

  void ended(HolderId holder, const Time& now) override {
    const auto& entry = running(holder);
    if (profile_ && now < entry.expected_end) profile_->add(now, entry.expected_end, entry.nodes);
    if (now < entry.expected_end) unsettle(Plans::may_move_up);
    kept_.seek_again();
    QueueScheduler::ended(holder, now);
  }

  void freed() override {
    QueueScheduler::freed();
    kept_.seek_again();
  }

  void withdrawn(JobId job) override {
    if (std::erase(unplanned_, job) == 0) {
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
    broken        ///< a job is late or refused, or nodes are taken that plans were made with: all are made anew
  };
  void unsettle(Plans plans) { plans_ = std::max(plans_, plans); }

  /// When it is asked first, nothing runs, but nodes may be out already.
  void begin_profile(const View& view) {
    std::int32_t out = 0;
    for (const auto& entry : running()) out += entry.nodes;
    profile_.emplace(view.now, view.free + out);
    for (const auto& entry : running()) profile_->add(view.now, entry.expected_end, -entry.nodes);
    for (const auto& reserved : reservations()) profile_->add(reserved.from, reserved.until, -reserved.count());
  }

  void settle(const Time& now) {
    const auto breaks = [&](const auto& entry) {
      const Waiting& job = entry.second;
      return job.planned < now || (job.was_refused() && has_place(job) == (job.planned == Time::never()));
    };
    if (std::any_of(queue().begin(), queue().end(), breaks)) unsettle(Plans::broken);
    const auto plans = std::exchange(plans_, Plans::hold);
    if (plans == Plans::broken) return plan_anew(now);
    if (plans == Plans::may_move_up)
      for (auto& [key, job] : queue())
        if (job.planned < Time::never() && !kept_.are_for(job.id)) move_up(job, now);  // else a newcomer
  }

  /// Plans all jobs in the order of the queue, one for which nodes are kept for their time.
  void plan_anew(const Time& now) {
    for (auto& [key, job] : queue()) unplan(job);
    unplanned_.clear();
    for (auto& [key, job] : queue())
      if (kept_.are_for(job.id))
        plan_at(job, std::max(now, kept_.reservation().from));
      else if (has_place(job))
        plan(job, now);
  }

  /// Keeps nodes for the first of the queue. If any free ones will do, only reservations move it, and its plan stays
  /// beside those of the others.
  void keep_nodes(const View& view) {
    const auto& first = queue().begin()->second;
    if (!KeptNodes::are_needed(first, view)) return kept_.forget();
    const Time earliest = view.counts ? std::max(view.now, first.planned) : view.now;
    if (kept_.update(first, earliest, running(), reservations(), *view.outlook)) ask_again();
    if (first.planned != std::max(view.now, kept_.reservation().from)) plan_anew(view.now);
  }

  /// A job that was refused has no place among the plans unless it is the first: it starts as soon as it gets nodes.
  bool has_place(const Waiting& job) const { return !job.was_refused() || &job == &queue().begin()->second; }

  void plan(Waiting& job, const Time& now) { plan_at(job, profile_->earliest(now, job.nodes, job.estimate)); }
  /// Plans a job earlier if it can start earlier. Its nodes are free at the planned time, so only earlier ones count.
  void move_up(Waiting& job, const Time& now) {
    const Time time = job.planned;
    if (profile_->earliest(now, job.nodes, job.estimate, time) == time) return;
    unplan(job);
    plan_at(job, std::min(time, profile_->earliest(now, job.nodes, job.estimate)));
  }
  void plan_at(Waiting& job, const Time& time) {
    job.planned = time;
    if (time < Time::never()) profile_->add(time, time + job.estimate, -job.nodes);
  }
  void unplan(Waiting& job) {
    if (job.planned < Time::never()) profile_->add(job.planned, job.planned + job.estimate, job.nodes);
    job.planned = Time::never();
  }

  std::optional<Profile> profile_;
  KeptNodes kept_;  ///< those for the first of the queue
  std::vector<JobId> unplanned_;
  Plans plans_ = Plans::hold;
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
