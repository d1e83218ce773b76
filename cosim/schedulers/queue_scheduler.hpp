#pragma once
// What schedulers with a queue have in common: the jobs that wait, in order, and those that run, by their expected end.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
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
    std::uint64_t refused_in = 0;  ///< the last round of questions in which the allocator refused it; 0: none
    bool was_refused() const { return refused_in > 0; }
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
  /// The allocator may be asked again for those that it refused: nodes have come free, or others are kept.
  void ask_again();
  /// The job starts if the allocator has nodes for it; nothing if it is known to have none, as of another job of that
  /// size just now.
  std::optional<Start> ask(Waiting& job, const View& view, std::span<const NodeId> kept = {},
                           std::span<const NodeId> reserved = {});

  using Key = std::pair<double, JobId>;
  using Queue = std::map<Key, Waiting>;

  /// By the order; what is in front comes first.
  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  /// By expected end, then by id.
  const std::vector<Running>& running() const { return running_; }

  bool is_refused(const Waiting& job) const { return job.refused_in == round_; }
  bool fits(const Waiting& job, const View& view) const { return job.nodes <= view.free && !is_refused(job); }
  std::vector<Running>::iterator find_running(JobId job);
  Waiting& waiting(JobId job) { return queue_.at(keys_.at(job)); }
  virtual Key key(const Queued& job) const;

 private:
  /// Numbers of nodes.
  class Sizes {
   public:
    void add(std::int32_t nodes) {
      const auto at = static_cast<std::size_t>(nodes);
      if (at >= in_.size()) in_.resize(at + 1, 0);
      in_[at] = round_;
    }
    bool contains(std::int32_t nodes) const {
      const auto at = static_cast<std::size_t>(nodes);
      return at < in_.size() && in_[at] == round_;
    }
    void clear() { ++round_; }

   private:
    std::uint64_t round_ = 1;
    std::vector<std::uint64_t> in_;  ///< by number, the round in which it was added last
  };

  void leave(JobId job);
  void forget_refused_sizes();
  void run(const Running& entry);

  Order order_;
  Queue queue_;
  std::map<JobId, Key> keys_;  ///< of those in the queue
  std::vector<Running> running_;
  std::uint64_t round_ = 1;  ///< of questions: in each the allocator is asked at most once for a job
  /// Of jobs for which it had no nodes, without and with others that it had to keep, since any were taken or came free.
  std::array<Sizes, 2> refused_sizes_;
  Sizes* asked_ = nullptr;  ///< where the size goes if the job is refused that it was asked for last
};

/// What the entry of a scheduler of class S makes.
template <class S>
std::unique_ptr<Scheduler> make(const core::Arguments& arguments) {
  return std::make_unique<S>(arguments);
}

}  // namespace toroid::cosim
