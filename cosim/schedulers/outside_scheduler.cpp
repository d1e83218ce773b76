#include "cosim/schedulers/outside_scheduler.hpp"

#include "core/blame.hpp"

namespace toroid::cosim {
namespace {

class CheckedScheduler final : public Scheduler {
 public:
  CheckedScheduler(const std::string& name, std::unique_ptr<Scheduler> scheduler)
      : who_(fmt::format("scheduler '{}'", name)), scheduler_(std::move(scheduler)) {}

  void submitted(const Queued& job) override {
    waiting_.insert_or_assign(job.id, job.nodes);
    refused_.clear();
    tell([&](Scheduler& one) { one.submitted(job); });
  }

  std::optional<Start> next(const View& view) override {
    now_ = view.now;
    auto start = core::blamed(who_, [&] { return scheduler_->next(view); });
    if (!start) return start;
    if (!waiting_.contains(start->job)) fail(start->job, "it does not wait; expected a job that does");
    if (const auto found = refused_.find(start->job); found != refused_.end() && found->second >= patience)
      fail(start->job,
           fmt::format("it was refused {} times, and nothing has happened since; expected another job, or none",
                       patience));
    const bool names_nodes = !start->kept.empty() || !start->reserved.empty();
    if (names_nodes && (view.outlook == nullptr || !view.outlook->is_known()))
      fail(start->job, "found kept or reserved nodes, expected none where the outlook is not known");
    if (const auto nodes = waiting_.at(start->job); !start->reserved.empty() && std::ssize(start->reserved) < nodes)
      fail(start->job, fmt::format("found {} reserved nodes, expected {}", start->reserved.size(), nodes));
    return start;
  }

  void refused(JobId job) override {
    ++refused_[job];
    tell([&](Scheduler& one) { one.refused(job); });
  }
  void started(JobId job, std::int32_t nodes, const Time& now) override {
    waiting_.erase(job);
    refused_.clear();
    tell([&](Scheduler& one) { one.started(job, nodes, now); });
  }
  void resized(JobId job, std::int32_t nodes, const Time& now) override {
    refused_.clear();
    tell([&](Scheduler& one) { one.resized(job, nodes, now); });
  }
  void ended(HolderId holder, const Time& now) override {
    refused_.clear();
    tell([&](Scheduler& one) { one.ended(holder, now); });
  }
  void node_out(NodeId node, const Time& now, const Time& until) override {
    refused_.clear();
    tell([&](Scheduler& one) { one.node_out(node, now, until); });
  }
  void reserved(const Reserved& reserved) override {
    tell([&](Scheduler& one) { one.reserved(reserved); });
  }
  void freed() override {
    refused_.clear();
    tell([&](Scheduler& one) { one.freed(); });
  }
  void withdrawn(JobId job) override {
    waiting_.erase(job);
    tell([&](Scheduler& one) { one.withdrawn(job); });
  }
  Time wake() const override {
    const auto time = core::blamed(who_, [&] { return scheduler_->wake(); });
    if (time < now_ || (time == now_ && ++early_ > patience))
      core::fail_input("{}: at {} s, wakes at {} s; expected a later time", who_, now_.seconds(), time.seconds());
    return time;
  }

 private:
  template <class Tell>
  void tell(Tell one) {
    early_ = 0;
    core::blamed(who_, [&] { one(*scheduler_); });
  }

  [[noreturn]] void fail(JobId job, std::string_view fault) const {
    core::fail_input("{}: starts job {}: {}", who_, job, fault);
  }

  std::string who_;
  std::unique_ptr<Scheduler> scheduler_;
  std::map<JobId, std::int32_t> waiting_;  ///< the waiting jobs with the nodes that they ask for
  /// Our own name a job again with other nodes kept or reserved for it, a few times; a scheduler that names one more
  /// often would do so for ever.
  static constexpr int patience = 100;
  Time now_;
  mutable int early_ = 0;         ///< how often it woke at once since something happened
  std::map<JobId, int> refused_;  ///< how often since something happened
};

}  // namespace

std::unique_ptr<Scheduler> checked_scheduler(const std::string& name, std::unique_ptr<Scheduler> scheduler) {
  if (scheduler == nullptr) core::fail_input("scheduler '{}': found none, expected one to be made", name);
  return std::make_unique<CheckedScheduler>(name, std::move(scheduler));
}

}  // namespace toroid::cosim
