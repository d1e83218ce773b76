#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// Each job when it started in its log, or as soon after that as it fits. Late jobs start in the order of the
/// log, but do not wait for each other.
class AsLogged final : public QueueScheduler {
 public:
  explicit AsLogged(const core::Arguments&) : QueueScheduler(Order::arrival) {}

  std::optional<Start> next(const View& view) override {
    later_ = Time::never();
    for (auto& [key, job] : queue()) {
      if (view.now < job.logged_start) {
        later_ = job.logged_start;
        return std::nullopt;
      }
      if (!fits(job, view)) continue;
      if (const auto start = ask(job, view)) return start;
    }
    return std::nullopt;
  }

  Time wake() const override { return later_; }

 private:
  Key key(const Queued& job) const override { return {job.logged_start.seconds(), job.id}; }

  Time later_ = Time::never();
};

}  // namespace

core::Entry<MakeScheduler> as_logged_scheduler() {
  return {
      "as-logged",
      "each job starts when it did in its log, or as soon after that as it fits; late jobs do not wait for each other",
      make<AsLogged>};
}

}  // namespace toroid::cosim
