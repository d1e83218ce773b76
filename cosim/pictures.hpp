#pragma once
// What pictures of a run are made from: who held which nodes at some time, or from when until when.

#include <set>

#include "cosim/record.hpp"

namespace toroid::cosim {

struct Holder {
  JobId id = 0;
  std::string name;  ///< name of the job in its log
  Allocation nodes;
  jobs::Job job = {};
};

/// The state of a machine at a time, after everything that happens at it.
struct Snapshot {
  double time = 0;  ///< s
  std::vector<Holder> holders;
  std::set<NodeId> out = {};  ///< nodes that have failed
};

/// Takes snapshots while a run goes on. Its memory is in proportion to the running jobs and the snapshots.
class SnapshotObserver final : public Observer {
 public:
  /// Takes a snapshot at each of `times`, in seconds since the beginning of the log.
  explicit SnapshotObserver(std::vector<double> times) : times_(std::move(times)) { std::ranges::sort(times_); }
  void submitted(const jobs::Job&, JobId, const Time& now) override { pass(now); }
  void started(const Record& record) override;
  void resized(JobId id, std::span<const NodeId> nodes, const Time& now) override;
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time& now) override;
  void node_back(NodeId node, const Time& now) override;

  /// All snapshots by time, once the run is over. In those after the last end nobody holds a node.
  std::vector<Snapshot> finish();

 private:
  void pass(const Time& now);
  void take();

  std::vector<double> times_;
  std::map<JobId, Holder> holders_;
  std::set<NodeId> out_;
  std::vector<Snapshot> snapshots_;
};

/// A job that ran, or the part of a job until it lost a node.
struct GanttJob {
  /// The nodes that it had from a time on.
  struct Change {
    double at = 0;  ///< s
    Allocation nodes;
  };

  JobId id = 0;
  std::string name;
  double started = 0, ended = 0;     ///< s
  Allocation nodes;                  ///< its nodes; if its demand changed, the most that it had
  std::vector<Change> changes = {};  ///< if its demand changed: the nodes from its start on, and from each change on
  double submitted = 0;              ///< s
  double estimate = 0;               ///< the estimate of its run time that its scheduler saw, in s
  End end = End::done;
  double alone = 0;               ///< the run time of its program alone on its nodes, in s; 0: not known
  std::string program = {};       ///< what it runs; empty: not known
  jobs::JobNotes notes = {};      ///< whose it is, and what else its log says
  std::vector<Loss> losses = {};  ///< jobs to which it lost time, the most first

  /// Calls visit(nodes, begin, end) for each time in which it held the same nodes.
  template <class Visit>
  void for_each_hold(Visit visit) const {
    if (changes.empty()) visit(nodes, started, ended);
    for (std::size_t i = 0; i < changes.size(); ++i)
      visit(changes[i].nodes, changes[i].at, i + 1 < changes.size() ? changes[i + 1].at : ended);
  }
};

/// The time in which a node was out after a failure.
struct Outage {
  NodeId node{};
  double began = 0, ended = 0;  ///< s
};

/// Keeps what a Gantt chart and the page of a schedule show. Its memory is in proportion to the jobs and the failures
/// of nodes.
class GanttObserver final : public Observer {
 public:
  void started(const Record& record) override {
    changes_[record.id] = {{record.started.seconds(), {record.nodes.begin(), record.nodes.end()}}};
  }
  void resized(JobId id, std::span<const NodeId> nodes, const Time& now) override {
    changes_[id].push_back({now.seconds(), {nodes.begin(), nodes.end()}});
  }
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time& now) override { out_[node] = now.seconds(); }
  void node_back(NodeId node, const Time& now) override;
  /// All jobs that ran, by their ends.
  const std::vector<GanttJob>& jobs() const { return jobs_; }
  /// All outages, once the run is over; those still under way end with the last job.
  std::vector<Outage> outages() const;

 private:
  std::vector<GanttJob> jobs_;
  std::map<JobId, std::vector<GanttJob::Change>> changes_;  ///< the changes of running jobs
  std::vector<Outage> outages_;
  std::map<NodeId, double> out_;  ///< when each node failed that is out
  double last_ = 0;               ///< the last end of a job
};

}  // namespace toroid::cosim
