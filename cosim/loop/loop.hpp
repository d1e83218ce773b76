#pragma once
// The one loop over time: jobs are submitted, scheduled, given nodes, run and end, all on one clock, which the network
// and its messages share. An allocator may take simulated time to answer.
//
// In an instant jobs end and are submitted first; then, when the clock's hooks are called, the scheduler is asked until
// it names no job that can start. How long a job runs is no matter of the loop: RunTimes says when the job ends.
//
// An example, with four nodes and a job that may start again when it has lost a node:
//
//    0 s  Submissions calls submit() with job 1, of three nodes, and the scheduler hears of it. The instant is over:
//         schedule() asks the scheduler, which names job 1. The allocator gives nodes 0, 1 and 2: decided() calls
//         begin(), and RunTimes set a timer.
//   10 s  Job 2 comes, of two nodes. The scheduler names none: one node is free.
//   50 s  Node 1 fails until 90 s: node_failed() has RunTimes kill job 1, whose end comes in this instant. finish()
//         gives its nodes back, take_out() takes node 1, and job 1 is submitted again, as job 3 behind job 2. Then
//         schedule() asks: job 2 begins, and two of its nodes and one that is out leave one free.
//   90 s  node_repaired() gives node 1 back, so that two are free. Job 3 waits for the end of job 2.

#include "alloc/logged_nodes.hpp"
#include "cosim/loop/freed_nodes.hpp"
#include "cosim/loop/submissions.hpp"
#include "cosim/outages.hpp"
#include "cosim/record.hpp"

namespace toroid::cosim {

struct Parts {
  const jobs::Jobs& jobs;
  Scheduler& scheduler;
  alloc::FreeNodes& free;
  alloc::Allocator& allocator;  ///< the allocator of these free nodes
  netsim::Clock& clock;         ///< a clock at 0; the network, if any, is attached to it
  RunTimes& run_times;          ///< on that clock
  std::vector<Observer*> observers = {};
  NodeFailures* failures = nullptr;  ///< null: none fails; with it the allocator must depend on the free nodes alone
  ReservedNodes reserved = {};       ///< the same holds if any are reserved
};

/// Throws InputError: the job is too large for the machine, of which so many nodes are free, or the allocator says why.
[[noreturn]] void refuse_large(const jobs::Job& job, const Machine& machine, std::int32_t free, std::string_view why);

class Loop final : netsim::TimerClient, Outlook, Placements {
 public:
  Loop(Parts parts, Options options);

  /// Runs until all jobs have ended. Call it once. Throws InputError when a job is too large and that is not allowed,
  /// SimulationError when jobs are left that are never started, or that failing nodes keep from running.
  void run();

 private:
  using Slot = std::uint32_t;  ///< index in active_

  struct Active {
    jobs::Job job;
    JobId id = 0;
    Time submitted, started, estimate;
    std::int32_t interruptions = 0;  ///< how often it was interrupted before
    std::string reason;              ///< why it was refused last
    Allocation logged;               ///< the nodes that it had in its log, if the allocator uses them
    Allocation nodes;
    Allocation most;                              ///< the most nodes that it had, if its demand changes
    std::vector<std::pair<NodeId, Time>> failed;  ///< its nodes that have failed and so end it, and when they are back
    Time since;                                   ///< when it was resized last
    double node_seconds = 0;                      ///< nodes times seconds until `since`
    std::optional<Work> work;                     ///< what it did on the network, once it is done
  };

  enum TimerOf : std::uint32_t { wake, reservation_end };

  /// How far the scheduler is with what has happened.
  enum class Scheduling : std::uint8_t {
    done,       ///< nothing has happened since the scheduler was asked
    due,        ///< something has: the scheduler is asked at the end of the instant
    allocating  ///< the allocator has not answered yet for the job that the scheduler named; then it is asked again
  };
  bool is_allocating() const { return scheduling_ == Scheduling::allocating; }
  /// Something has happened on which the scheduler's answer depends.
  void happened() {
    if (!is_allocating()) scheduling_ = Scheduling::due;
  }

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }

  bool is_known() const override { return parts_.allocator.local() != nullptr; }
  std::optional<Nodes> first_nodes(JobId job, std::span<const Step> steps) override;
  void refused_like(JobId job, JobId alike) override;
  const alloc::FreeNodes& free() const override { return parts_.free; }
  std::optional<Allocation> nodes_for(JobId job) override;
  double cost(JobId job, std::span<const NodeId> nodes) override;
  const Active& waiting(JobId job) const;
  void suppose_ended(HolderId holder, alloc::Supposed& supposed) const;

  void submit(jobs::Job job, const Time& submitted, std::int32_t interruptions);
  bool fits(Active& active) const;
  bool changes(const Active& active) const { return options_.dynamic && active.job.demand != jobs::Demand::constant; }

  void schedule();
  bool nodes_add_up() const;
  alloc::Request request(JobId id) const { return request(active_[slots_.at(id)]); }
  alloc::Request request(const Active& active) const;
  void ask(const Start& start);
  std::optional<Allocation> choose(const Start& start);
  std::optional<Allocation> choose_without(const alloc::Request& request, std::span<const NodeId> these,
                                           std::span<const NodeId> those);
  void decided(const Start& start, std::optional<Allocation> nodes);
  std::string reason_of_refusal(const Start& start);
  void tell_reserved();
  void set_wake();
  void await_reservation_end();

  void begin(Slot slot, Allocation nodes);
  using Resized = std::function<void(std::int32_t)>;
  void resize(Slot slot, std::int32_t wanted, const Resized& resized);
  void grow(Slot slot, std::int32_t more, const Resized& resized);
  void book(Active& active);
  void tell_size(Active& active);
  void ended(Slot slot, End end, std::optional<Work> work);
  void finish(Slot slot, End end);

  void start_failures();
  void count_idle_failure();
  void node_failed(NodeId node, const Time& back);
  void node_postponed(NodeId node, const Time& back);
  void node_repaired(NodeId node);
  void take_out(NodeId node, const Time& back);
  void reject(JobId id);
  Active leave(Slot slot, End end);
  Record record(const Active& active, End end) const;
  bool comes_again(const Active& active, End end) const {
    return end == End::interrupted && active.interruptions < options_.failures.requeues;
  }

  Parts parts_;
  Options options_;
  FreedNodes freed_;
  std::optional<alloc::LoggedNodes> logged_nodes_;  ///< the nodes of the log, if the allocator uses them
  std::optional<Submissions> submissions_;          ///< what submits jobs, from the beginning of run() on
  JobId submitted_ = 0;
  core::Pool<Active> active_;
  std::unordered_map<JobId, Slot> slots_;
  std::size_t running_ = 0;
  std::int32_t all_nodes_;  ///< number of nodes that are free at the beginning
  std::int32_t out_ = 0;    ///< number of nodes that are out
  Scheduling scheduling_ = Scheduling::done;
  Allocation reserved_;             ///< nodes that the job that is asked for must not get, as they are reserved soon
  std::int32_t idle_failures_ = 0;  ///< failures of nodes, at random, since a job ran last
  std::optional<netsim::TimerId> wake_timer_;
  Time wake_time_ = Time::never();
  std::optional<netsim::TimerId> reservation_timer_;  ///< the timer of the next end of a reservation
};

}  // namespace toroid::cosim
