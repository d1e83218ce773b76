#include "cosim/schedulers/outside_scheduler.hpp"

#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"

namespace toroid::cosim {
namespace {

class CheckedScheduler final : public Scheduler {
 public:
  CheckedScheduler(std::string name, std::unique_ptr<Scheduler> scheduler)
      : name_(std::move(name)), scheduler_(std::move(scheduler)) {}

  void submitted(const Queued& job) override {
    waiting_.insert(job.id);
    refused_.clear();
    scheduler_->submitted(job);
  }

  std::optional<Start> next(const View& view) override {
    auto start = scheduler_->next(view);
    if (!start) return start;
    if (!waiting_.contains(start->job)) fail(start->job, "it does not wait; expected a job that does");
    if (const auto found = refused_.find(start->job); found != refused_.end() && found->second >= patience)
      fail(start->job,
           fmt::format("it was refused {} times, and nothing has happened since; expected another job, or none",
                       patience));
    const bool names_nodes = !start->kept.empty() || !start->reserved.empty();
    if (names_nodes && (view.outlook == nullptr || !view.outlook->is_known()))
      fail(start->job, "found kept or reserved nodes, expected none where the outlook is not known");
    return start;
  }

  void refused(JobId job) override {
    ++refused_[job];
    scheduler_->refused(job);
  }
  void started(JobId job, std::int32_t nodes, const Time& now) override {
    waiting_.erase(job);
    refused_.clear();
    scheduler_->started(job, nodes, now);
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    refused_.clear();
    scheduler_->resized(job, nodes, now);
  }
  void ended(JobId job, const Time& now) override {
    refused_.clear();
    scheduler_->ended(job, now);
  }
  void node_out(JobId id, const Time& now, const Time& until) override {
    refused_.clear();
    scheduler_->node_out(id, now, until);
  }
  void freed() override {
    refused_.clear();
    scheduler_->freed();
  }
  void withdrawn(JobId job) override {
    waiting_.erase(job);
    scheduler_->withdrawn(job);
  }
  Time wake() const override { return scheduler_->wake(); }

 private:
  [[noreturn]] void fail(JobId job, std::string_view fault) const {
    core::fail_input("scheduler '{}': starts job {}: {}", name_, job, fault);
  }

  std::string name_;
  std::unique_ptr<Scheduler> scheduler_;
  std::set<JobId> waiting_;
  /// Our own name a job again with other nodes kept or reserved for it, a few times; a scheduler that names one more
  /// often would do so for ever.
  static constexpr int patience = 100;
  std::map<JobId, int> refused_;  ///< how often since something happened
};

}  // namespace

std::unique_ptr<Scheduler> checked_scheduler(std::string name, std::unique_ptr<Scheduler> scheduler) {
  if (scheduler == nullptr) core::fail_input("scheduler '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedScheduler>(std::move(name), std::move(scheduler));
}

}  // namespace toroid::cosim
