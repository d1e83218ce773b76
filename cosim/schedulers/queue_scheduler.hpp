#pragma once
// What schedulers with a queue have in common: the jobs that wait, in order, and those that run, by their expected end.

#include <set>
#include <unordered_map>

#include "toroid/cosim/scheduler.hpp"

namespace toroid::cosim {

/// The order of waiting jobs; of equal ones, the one that arrived first comes first.
enum class Order { arrival, shortest, longest, smallest, largest };

extern const core::Parameter<Order> queue_order;

class QueueScheduler : public Scheduler {
 public:
  struct Waiting : Queued {
    std::uint64_t refused_in = 0;  ///< the last round of questions in which the allocator refused it; 0: none
    bool was_refused() const { return refused_in > 0; }
    Time planned = Time::never();  ///< when it is to start, for schedulers that plan
  };
  struct Running {
    Time expected_end;
    HolderId id = 0;
    std::int32_t nodes = 0;
    Time started = {};
    bool operator<(const Running& other) const {
      return expected_end != other.expected_end ? expected_end < other.expected_end : id < other.id;
    }
  };

  /// Running jobs and outages in the order of their expected ends, then of their ids. A set finds and changes them in
  /// logarithmic time, since a single outage may add very many entries.
  using RunningJobs = std::set<Running>;

  explicit QueueScheduler(Order order) : order_(order) {}

  void submitted(const Queued& job) override;
  void refused(JobId job) override;
  void started(JobId job, std::int32_t nodes, const Time& now) override;
  void resized(JobId job, std::int32_t nodes, const Time& now) override;
  void ended(HolderId holder, const Time& now) override;
  void node_out(NodeId node, const Time& now, const Time& until) override;
  void reserved(const Reserved& reserved) override;
  void freed() override { ask_again(); }
  void withdrawn(JobId job) override { leave(job); }

 protected:
  /// Lets the allocator be asked again for jobs that it refused, as nodes have become free, or other nodes are kept.
  void ask_again();
  /// The answer of next() that starts a job. Nothing if the allocator is known to have no nodes for it, since it has
  /// just refused a job of that size.
  std::optional<Start> ask(Waiting& job, const View& view, std::span<const NodeId> kept = {},
                           std::span<const NodeId> reserved = {});

  using Key = std::pair<double, JobId>;
  using Queue = std::map<Key, Waiting>;

  /// The waiting jobs in their order; the first one comes first.
  Queue& queue() { return queue_; }
  const Queue& queue() const { return queue_; }
  const RunningJobs& running() const { return running_; }
  /// The reservations in the order of their beginnings.
  const std::vector<Reserved>& reservations() const { return reservations_; }

  /// Puts the waiting jobs in the order of their keys as these are now.
  void reorder();

  bool is_refused(const Waiting& job) const { return job.refused_in == round_; }
  bool fits(const Waiting& job, const View& view) const { return job.nodes <= view.free && !is_refused(job); }
  const Running& running(HolderId holder) const;
  /// Whether a job that has started in this very instant is to end in it. Its end is yet to come, so nothing is to
  /// start before; if the end does not come, the next instant is soon enough.
  bool one_ends_at_once(const Time& now) const;
  Waiting& waiting(JobId job) { return queue_.at(keys_.at(job)); }
  virtual Key key(const Queued& job) const;

 private:
  /// The jobs that were refused, by their number of nodes, which are cleared in O(1).
  class Sizes {
   public:
    void add(std::int32_t nodes, JobId job) {
      const auto at = static_cast<std::size_t>(nodes);
      if (at >= refused_.size()) refused_.resize(at + 1);
      refused_[at] = {round_, job};
    }
    /// The last job of that size that was refused; nothing if none was.
    std::optional<JobId> refused(std::int32_t nodes) const {
      const auto at = static_cast<std::size_t>(nodes);
      if (at >= refused_.size() || refused_[at].round != round_) return std::nullopt;
      return refused_[at].job;
    }
    void clear() { ++round_; }

   private:
    struct Refused {
      std::uint64_t round = 0;  ///< the round in which it was added
      JobId job = 0;
    };
    std::uint64_t round_ = 1;
    std::vector<Refused> refused_;  ///< the jobs that were refused, by number of nodes
  };

  void leave(JobId job);
  void forget_refused_sizes();
  std::size_t reservations_before_end(const Queued& job, const Time& now) const;
  void run(const Running& entry);
  Running take_from_running(HolderId holder);

  Order order_;
  Queue queue_;
  std::map<JobId, Key> keys_;  ///< keys of the jobs in the queue
  RunningJobs running_;
  std::unordered_map<HolderId, RunningJobs::iterator> entries_;  ///< where each entry is in running_
  std::uint64_t round_ = 1;  ///< the round of questions: in each the allocator is asked at most once for a job
  std::vector<Reserved> reservations_;
  /// The sizes of jobs that the allocator has refused since nodes were last taken or became free: without kept nodes,
  /// and with them, by the number of reservations that begin before the job would end.
  std::vector<std::array<Sizes, 2>> refused_sizes_{1};
  Sizes* asked_ = nullptr;  ///< the set for the size of the job that was asked for last, if it is refused
};

/// Makes a scheduler of class S, for its entry.
template <class S>
std::unique_ptr<Scheduler> make(const core::Arguments& arguments) {
  return std::make_unique<S>(arguments);
}

}  // namespace toroid::cosim
