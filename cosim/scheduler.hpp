#pragma once
// Scheduling: which job gets nodes next, and when. Which nodes is the allocator's business.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/registry.hpp"
#include "netsim/time.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using netsim::Time;
using platforms::NodeId;

/// The number of a job within a run: 1, 2, 3, ... in the order of submission. It is not its number in the log.
using JobId = std::int64_t;

/// A job as its scheduler sees it.
struct Queued {
  JobId id = 0;
  std::int32_t nodes = 1;
  Time submitted;
  Time estimate;      ///< expected run time
  Time logged_start;  ///< when it started in its log, or, if that is not known, when it was submitted
};

/// Answers what the allocator would do, where it may refuse a job although enough nodes are free.
class Outlook {
 public:
  /// Whether the allocator can be asked. Allocators that send messages cannot.
  virtual bool is_known() const = 0;
  struct Step {
    Time time;                  ///< not before that of the step before
    std::vector<JobId> ending;  ///< jobs that end, or, for ids of nodes that are out, these nodes come back
  };
  struct Nodes {
    std::size_t step;
    Allocation nodes;    ///< none if any free nodes will do
    Time reserved_from;  ///< from when on one of them is reserved, so that the job must have ended
    std::int32_t spare;  ///< if any free nodes will do, how many more the job would get; else a number beyond all
  };
  /// The first of `steps` after which a waiting job would get nodes, and these nodes; nothing if there is none.
  virtual std::optional<Nodes> first_nodes(JobId job, std::span<const Step> steps) = 0;
  /// Takes down that a job is refused without asking, since the allocator has just refused one that is alike.
  virtual void refused_like(JobId job, JobId alike) = 0;

 protected:
  ~Outlook() = default;
};

/// The machine as a scheduler sees it.
struct View {
  Time now;
  std::int32_t free = 0;       ///< number of free nodes
  Outlook* outlook = nullptr;  ///< null: a job gets nodes whenever enough are free
  bool counts = false;         ///< whether a job gets nodes whenever enough are free that are not reserved
};

/// A job that starts if the allocator has nodes for it.
struct Start {
  JobId job = 0;
  std::span<const NodeId> kept = {};      ///< nodes that it must not get, as they are kept for another job
  std::span<const NodeId> reserved = {};  ///< nodes that it gets if they are free and the allocator has none for it
};

/// A number of nodes that are reserved from a time until before another: only a job that ends before, by its estimate,
/// or starts after that gets one of them.
struct Reserved {
  Time from, until;
  std::int32_t nodes = 0;
};

/// Decides which job starts next. It is told what happens to each job, in this order: submitted, refused any number of
/// times, started, resized any number of times, ended; or withdrawn in place of started. All ends and submissions of an
/// instant are told before the first call of next(). Nodes may come free later than their job ends.
class Scheduler {
 public:
  virtual ~Scheduler() = default;

  virtual void submitted(const Queued& job) = 0;
  /// The job that is to start now. The loop asks again after each job that was started or refused, until next() returns
  /// nothing; so a job that was refused must not be named again for ever while nothing happens. Nodes may be kept or
  /// reserved only where the outlook is known; their lists must last until the next call.
  virtual std::optional<Start> next(const View& view) = 0;
  /// The allocator has no suitable nodes for the job, although enough may be free.
  virtual void refused(JobId job) = 0;
  /// The job has started with `nodes` nodes: more than it asked for, where only whole blocks are allocated.
  virtual void started(JobId job, std::int32_t nodes, const Time& now) = 0;
  /// The job has `nodes` nodes from now on.
  virtual void resized(JobId job, std::int32_t nodes, const Time& now) = 0;
  virtual void ended(JobId job, const Time& now) = 0;
  /// A node is out until `until`, as if a job of one node ran on it: ended() tells when it is back. `id` is below 0, so
  /// that it is no job's.
  virtual void node_out(JobId id, const Time& now, const Time& until) = 0;
  /// Nodes will be reserved; of one node, no two reservations overlap. Called before all else, by the beginnings of the
  /// reservations. The outlook is known then; a scheduler that takes no notice sees jobs refused that would get
  /// reserved nodes.
  virtual void reserved(const Reserved& /*reserved*/) {}
  /// Nodes have become free, or are reserved no more.
  virtual void freed() = 0;
  /// The job will never start, as the machine is too small for it.
  virtual void withdrawn(JobId job) = 0;

  /// When the scheduler wants to be asked again even if nothing happens; Time::never() if it does not.
  virtual Time wake() const { return Time::never(); }
};

using MakeScheduler = std::function<std::unique_ptr<Scheduler>(const core::Arguments&)>;

/// The schedulers, by name.
const core::Registry<MakeScheduler>& schedulers();

/// Adds a scheduler from elsewhere (core::Registry::add). Its answers are checked: InputError says what is wrong with
/// one.
void add_scheduler(core::Entry<MakeScheduler> entry);

/// A scheduler with its settings, as a user chose it.
using SchedulerChoice = core::Choice<schedulers>;

}  // namespace toroid::cosim
