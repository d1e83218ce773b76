#pragma once
// The one loop over time: jobs are submitted, scheduled, given nodes, run and end, all on one clock, which the network
// and its messages share. An allocator may take simulated time to answer.
//
// In an instant jobs end and are submitted first; then, when the clock's hooks are called, the scheduler is asked until
// it names no job that can start. What a job does while it runs is a matter of begin() and finish() alone: it lasts as
// long as its log says, or until a worker has done its work.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/pool.hpp"
#include "cosim/node_failures.hpp"
#include "cosim/record.hpp"
#include "cosim/reserved_nodes.hpp"
#include "cosim/scheduler.hpp"
#include "jobs/jobs.hpp"
#include "netsim/clock.hpp"

namespace toroid::cosim {

struct Options {
  /// Where the estimate of a job's run time comes from: the log (twice the run time where it has none), the run time
  /// itself, or the run time times a factor. It is never less than the run time, unless jobs are killed.
  enum class Estimates { logged, exact, factor } estimates = Estimates::logged;
  double factor = 1;
  bool kill = false;  ///< whether jobs are killed at the end of their estimate
  /// What happens when a job can never fit: the run fails, or goes on without the job.
  enum class TooLarge { fail, reject } too_large = TooLarge::fail;
  /// Whether jobs whose demand changes get the nodes that they want at the time, and run slower while they do not get
  /// them. If not, they have their largest demand from start to end.
  bool dynamic = false;
  netsim::OnFailedJob failed_job = netsim::OnFailedJob::stop;
  /// How nodes fail, whether a job runs on them or not.
  NodeFailureOptions failures = {};
};

/// Reads where estimates come from into `options`: `log`, `exact` or a factor such as `x2`. Throws InputError.
void read_estimates(const std::string& text, Options& options);

struct Parts {
  const jobs::Jobs& jobs;
  Scheduler& scheduler;
  alloc::FreeNodes& free;
  alloc::Allocator& allocator;  ///< the allocator of these free nodes
  netsim::Clock& clock;         ///< a clock at 0; the network, if any, is attached to it
  std::vector<Observer*> observers;
  Worker* worker = nullptr;          ///< null: jobs last as long as their log says
  NodeFailures* failures = nullptr;  ///< null: none fails; with it the allocator must depend on the free nodes alone
  ReservedNodes reserved = {};       ///< the same holds if any are reserved
};

class Loop final : netsim::TimerClient, alloc::FreeView, Outlook {
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
    Allocation nodes;
    Allocation most;  ///< the most nodes that it had, if its demand changes
    std::int32_t phase = 0;
    bool is_cut = false;  ///< whether its present phase ends with its estimate, before its work is done
    std::optional<netsim::TimerId> timer;         ///< timer of the end of that phase
    std::vector<std::pair<NodeId, Time>> failed;  ///< its nodes that have failed and so end it, and when they are back
    Time since;                                   ///< when it was resized last
    double node_seconds = 0;                      ///< nodes times seconds until `since`
    std::optional<Work> work;                     ///< what it did, once it is done
  };

  // What timers stand for; other numbers are slots.
  static constexpr std::uint32_t arrival = ~0U, wake = ~0U - 1, reservation_end = ~0U - 2;

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }
  void taken(std::span<const NodeId>) override {}
  void given_back(std::span<const NodeId>) override { freed_ |= !supposes_; }

  bool is_known() const override;
  std::optional<Nodes> first_nodes(JobId job, std::span<const Step> steps) override;
  void refused_like(JobId job, JobId alike) override;
  void suppose_ended(JobId id, alloc::Supposed& supposed) const;

  void pull();
  void submit(jobs::Job job, const Time& submitted, std::int32_t interruptions);
  Time estimate(const jobs::Job& job) const;
  std::int32_t first_demand(const jobs::Job& job) const;
  bool changes(const Active& active) const;

  void schedule();
  alloc::Request request(JobId id) const;
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
  bool begin_work(Slot slot);
  void begin_phase(Slot slot);
  void grow(Slot slot, std::int32_t nodes);
  void run_phase(Slot slot);
  void book(Active& active);
  void resized(Active& active);
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
  bool comes_again(const Active& active, End end) const;

  Parts parts_;
  Options options_;
  std::unique_ptr<jobs::JobStream> stream_;
  jobs::Job coming_;
  bool all_submitted_ = false;
  JobId submitted_ = 0;
  core::Pool<Active> active_;
  std::unordered_map<JobId, Slot> slots_;
  std::size_t running_ = 0;
  std::int32_t all_nodes_;  ///< number of nodes that are free at the beginning
  bool asking_ = false;     ///< whether the allocator has not answered yet
  bool changed_ = false;    ///< whether anything has changed since the scheduler was asked
  bool freed_ = false;
  bool supposes_ = false;  ///< whether nodes that are given back now are only supposed to be
  bool nodes_fail_ = false;
  Allocation reserved_;             ///< nodes that the job that is asked for must not get, as they are reserved soon
  std::int32_t idle_failures_ = 0;  ///< failures of nodes, at random, since a job ran last
  std::optional<netsim::TimerId> wake_timer_;
  Time wake_time_ = Time::never();
  std::optional<netsim::TimerId> reservation_timer_;  ///< of the next end of a reservation
};

}  // namespace toroid::cosim
