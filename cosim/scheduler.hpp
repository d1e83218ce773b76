#pragma once
// Scheduling: which job gets nodes next, and when. Which nodes is the allocator's business.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/registry.hpp"
#include "netsim/time.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using netsim::Time;
using platforms::NodeId;

/// A job within a run: 1, 2, 3, ... in the order of submission. Its number in the log is another.
using JobId = std::int64_t;

/// A job as its scheduler sees it.
struct Queued {
  JobId id = 0;
  std::int32_t nodes = 1;
  Time submitted;
  Time estimate;      ///< how long it will run, as far as anybody knows
  Time logged_start;  ///< when it started in its log; where that is not known, when it was submitted
};

/// What the allocator would do, where it may refuse a job although enough nodes are free.
class Outlook {
 public:
  /// Whether it can be asked. Allocators that send messages cannot.
  virtual bool is_known() const = 0;
  struct Nodes {
    std::size_t step;
    Allocation nodes;
  };
  /// The first of some steps after which a job that waits would get nodes, and which ones, if in each step those named
  /// end that run or are nodes that are out; nothing if there is none.
  virtual std::optional<Nodes> first_nodes(JobId job, std::span<const std::vector<JobId>> steps) = 0;

 protected:
  ~Outlook() = default;
};

/// The machine as a scheduler sees it.
struct View {
  Time now;
  std::int32_t free = 0;       ///< nodes
  Outlook* outlook = nullptr;  ///< null: a job gets nodes whenever enough are free
};

/// A job that starts if the allocator has nodes for it.
struct Start {
  JobId job = 0;
  std::span<const NodeId> kept = {};      ///< for another job: it must not get these
  std::span<const NodeId> reserved = {};  ///< for this one: it gets these if the allocator has none and they are free
};

/// Hears what happens to the jobs, each of them in this order: submitted, refused any number of times, started, resized
/// any number of times, ended; or withdrawn in place of started. All ends and submissions of an instant are told before
/// the first question. Nodes may come free later than their job ends.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  virtual void submitted(const Queued& job) = 0;
  /// The job that is to start now; the loop asks again after each that has been started or refused, until there is
  /// none. What was refused must not be named again for ever while nothing happens. The nodes that are kept or reserved
  /// are known to the outlook, and must last until the next question.
  virtual std::optional<Start> next(const View& view) = 0;
  /// The allocator has no nodes that suit, though enough may be free.
  virtual void refused(JobId job) = 0;
  /// With `nodes` nodes: more than it asked for, where only whole blocks are given.
  virtual void started(JobId job, std::int32_t nodes, const Time& now) = 0;
  /// It holds `nodes` nodes from now on.
  virtual void resized(JobId job, std::int32_t nodes, const Time& now) = 0;
  virtual void ended(JobId job, const Time& now) = 0;
  /// A node is out until then, as if a job of one node ran on it: ended() tells when it is back. Below 0, `id` is no
  /// job's.
  virtual void node_out(JobId id, const Time& now, const Time& until) = 0;
  /// Nodes have come free.
  virtual void freed() = 0;
  /// It will never start: the machine is too small for it.
  virtual void withdrawn(JobId job) = 0;

  /// When it wants to be asked again although nothing may have happened; Time::never() if it does not.
  virtual Time wake() const { return Time::never(); }
};

using MakeScheduler = std::unique_ptr<Scheduler> (*)(const core::Arguments&);

/// The schedulers, by name.
const core::Registry<MakeScheduler>& schedulers();

}  // namespace toroid::cosim
