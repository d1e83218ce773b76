#pragma once
// What schedulers with a queue have in common: the jobs that wait, in order, and those that run, by their expected end.

#include <map>
#include <utility>
#include <vector>

#include "cosim/scheduler.hpp"

namespace toroid::cosim {

/// Which of the jobs that wait comes first; those alike in that by arrival.
enum class Order { arrival, shortest, longest, smallest, largest };

extern const core::Parameter<Order> queue_order;

class QueueScheduler : public Scheduler {
 public:
  struct Waiting : Queued {
    bool refused = false;          ///< since nodes came free last
    bool was_refused = false;      ///< at some time
    Time planned = Time::never();  ///< for schedulers that plan
  };
  struct Running {
    Time expected_end;
    JobId id = 0;
    std::int32_t nodes = 0;
    Time started = {};
    bool operator<(const Running& other) const {
      return expected_end != other.expected_end ? expected_end < other.expected_end : id < other.id;
    }
  };

  explicit QueueScheduler(Order order) : order_(order) {}

  void submitted(const Queued& job) override;
  void refused(JobId job) override;
  void started(JobId job, std::int32_t nodes, const Time& now) override;
  void resized(JobId job, std::int32_t nodes, const Time& now) override;
  void ended(JobId job, const Time& now) override;
  void node_out(JobId id, const Time& now, const Time& until) override;
  void freed() override { ask_again(); }
  void withdrawn(JobId job) override { leave(job); }

 protected:
  /// The allocator may be asked again for those that it refused.
  void ask_again();

  using Key = std::pair<double, JobId>;
  using Queue = std::map<Key, Waiting>;

  /// By the order; what is in front comes first.
  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  /// By expected end, then by id.
  const std::vector<Running>& running() const { return running_; }

  static bool fits(const Waiting& job, const View& view) { return job.nodes <= view.free && !job.refused; }
  std::vector<Running>::iterator find_running(JobId job);
  Waiting& waiting(JobId job) { return queue_.at(keys_.at(job)); }
  virtual Key key(const Queued& job) const;

 private:
  void leave(JobId job);
  void run(const Running& entry);

  Order order_;
  Queue queue_;
  std::map<JobId, Key> keys_;  ///< of those in the queue
  std::vector<Running> running_;
  std::vector<JobId> refused_;
};

/// What the entry of a scheduler of class S makes.
template <class S>
std::unique_ptr<Scheduler> make(const core::Arguments& arguments) {
  return std::make_unique<S>(arguments);
}

}  // namespace toroid::cosim
