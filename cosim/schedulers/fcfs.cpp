#include "cosim/schedulers/queue_scheduler.hpp"

namespace toroid::cosim {
namespace {

/// The first job of the queue, as soon as it fits. Nobody overtakes.
class Fcfs final : public QueueScheduler {
 public:
  explicit Fcfs(const core::Arguments& arguments) : QueueScheduler(arguments[queue_order]) {}

  std::optional<Start> next(const View& view) override {
    if (queue().empty() || !fits(queue().begin()->second, view)) return std::nullopt;
    return ask(queue().begin()->second, view);
  }
};

}  // namespace

core::Entry<MakeScheduler> fcfs_scheduler() {
  return {"fcfs", "the first job of the queue starts as soon as it fits; no job overtakes", make<Fcfs>, {queue_order}};
}

}  // namespace toroid::cosim
