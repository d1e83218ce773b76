#pragma once
// What pictures of a run are made from: who held which nodes at some time, or from when until when.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cosim/record.hpp"

namespace toroid::cosim {

struct Holder {
  JobId id = 0;
  std::string name;  ///< name of the job in its log
  Allocation nodes;
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
  explicit SnapshotObserver(std::vector<double> times);
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

struct GanttJob {
  JobId id = 0;
  std::string name;
  double started = 0, ended = 0;  ///< s
  Allocation nodes;               ///< its nodes; if its demand changed, the most that it had
};

/// The time in which a node was out after a failure.
struct Outage {
  NodeId node{};
  double began = 0, ended = 0;  ///< s
};

/// Keeps what a Gantt chart shows. Its memory is in proportion to the jobs and the failures of nodes.
class GanttObserver final : public Observer {
 public:
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time& now) override;
  void node_back(NodeId node, const Time& now) override;
  const std::vector<GanttJob>& jobs() const { return jobs_; }
  /// All outages, once the run is over; those still under way end with the last job.
  std::vector<Outage> outages() const;

 private:
  std::vector<GanttJob> jobs_;
  std::vector<Outage> outages_;
  std::map<NodeId, double> out_;  ///< when each node failed that is out
  double last_ = 0;               ///< the last end of a job
};

}  // namespace toroid::cosim
