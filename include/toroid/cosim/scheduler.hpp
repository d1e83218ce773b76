#pragma once
// Scheduling: which job gets nodes next, and when. Which nodes is the allocator's business.
//
//   cosim::SchedulerChoice("easy")  // a scheduler by its name; plug-ins derive theirs from cosim::Scheduler

#include "toroid/alloc/allocator.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/netsim/time/time.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using netsim::Time;
using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

/// The number of a job within a run: 1, 2, 3, ... in the order of submission. It is not its number in the log.
using JobId = std::int64_t;

/// What holds nodes, as schedulers see it: a job, or the outage of a node, which holds that node.
class HolderId {
 public:
  HolderId(JobId job) : number_(job) { TOROID_ASSERT(job >= 0); }
  explicit HolderId(NodeId out) : number_(-1 - JobId{out.value()}) {}
  /// The id that comes before all others.
  static HolderId first() { return HolderId(NodeId(std::numeric_limits<NodeId::Value>::max())); }

  bool is_job() const { return number_ >= 0; }
  NodeId out() const {
    TOROID_ASSERT(!is_job());
    return NodeId(static_cast<NodeId::Value>(-1 - number_));
  }
  JobId job() const {
    TOROID_ASSERT(is_job());
    return number_;
  }
  /// The id of the job, or a number below 0 that stands for the node.
  std::int64_t number() const { return number_; }
  auto operator<=>(const HolderId&) const = default;

 private:
  std::int64_t number_;
};

/// A job as its scheduler sees it.
struct Queued {
  JobId id = 0;
  std::int32_t nodes = 1;
  Time submitted;
  Time estimate;              ///< expected run time
  Time logged_start;          ///< when it started in its log, or, if that is not known, when it was submitted
  std::string name = {};      ///< its number or name in its log, which it keeps when it is queued again
  jobs::JobNotes notes = {};  ///< whose it is, its queue, and what else its log says
};

/// What placements would be like: for schedulers that look at nodes.
class Placements {
 public:
  virtual const alloc::FreeNodes& free() const = 0;
  /// The nodes that the allocator would give a waiting job now; nothing if it would refuse the job or, as one that
  /// sends messages, cannot say. An allocator that draws lots draws anew with each question.
  virtual std::optional<Allocation> nodes_for(JobId job) = 0;
  /// How many times as long a waiting job would take on these nodes as alone on those of a compact reference, as far as
  /// a model of links tells without a simulation. With modelled times that is the whole job, beside its neighbours;
  /// else its messages alone. The cost is 1 where run times do not depend on nodes.
  virtual double cost(JobId job, std::span<const NodeId> nodes) = 0;

 protected:
  ~Placements() = default;
};

/// Answers what the allocator would do, where it may refuse a job although enough nodes are free.
class Outlook {
 public:
  /// Whether the allocator can be asked. Allocators that send messages cannot.
  virtual bool is_known() const = 0;
  struct Step {
    Time time;                     ///< not before that of the step before
    std::vector<HolderId> ending;  ///< jobs that end, and nodes that come back
  };
  struct Nodes {
    std::size_t step;
    Allocation nodes;    ///< none if any free nodes will do
    Time reserved_from;  ///< when one of them is reserved, so that the job must have ended
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
  std::int32_t free = 0;             ///< number of free nodes
  Outlook* outlook = nullptr;        ///< null: a job gets nodes whenever enough are free
  bool counts = false;               ///< whether a job gets nodes whenever enough are free that are not reserved
  Placements* placements = nullptr;  ///< never null in a run
};

/// A job that starts if the allocator has nodes for it.
struct Start {
  JobId job = 0;
  std::span<const NodeId> kept = {};      ///< nodes that it must not get, as they are kept for another job
  std::span<const NodeId> reserved = {};  ///< nodes that it gets if they are free and the allocator has none for it
};

/// Nodes that are reserved from a time until before another: only a job that ends before, by its estimate, or starts
/// after that gets one of them.
struct Reserved {
  Time from, until;
  std::vector<NodeId> nodes;

  std::int32_t count() const { return static_cast<std::int32_t>(nodes.size()); }
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
  /// The job has ended, or the node that was out is back.
  virtual void ended(HolderId holder, const Time& now) = 0;
  /// A node is out until `until`, as if a job of one node ran on it.
  virtual void node_out(NodeId node, const Time& now, const Time& until) = 0;
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

template <>
struct std::hash<toroid::cosim::HolderId> {
  std::size_t operator()(const toroid::cosim::HolderId& id) const { return std::hash<std::int64_t>()(id.number()); }
};
