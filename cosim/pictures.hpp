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
  std::string name;  ///< of the job in its log
  Allocation nodes;
};

/// The state of a machine after all that happens at a time.
struct Snapshot {
  double time = 0;  ///< s
  std::vector<Holder> holders;
  std::set<NodeId> out = {};  ///< nodes that have failed
};

/// Takes snapshots while a run goes on. Memory for the jobs that run, and for the snapshots.
class SnapshotObserver final : public Observer {
 public:
  /// Times in seconds since the beginning of the log.
  explicit SnapshotObserver(std::vector<double> times);
  void submitted(const workloads::Job&, JobId, const Time& now) override { pass(now); }
  void started(const Record& record) override;
  void resized(JobId id, std::span<const NodeId> nodes, const Time& now) override;
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time& now) override;
  void node_back(NodeId node, const Time& now) override;

  /// When the run is over: all of them, by time. After the last end nobody holds a node.
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
  Allocation nodes;               ///< if its demand changed, when it held most
};

/// A node that had failed, and was back later.
struct Outage {
  NodeId node{};
  double began = 0, ended = 0;  ///< s
};

/// Keeps what a Gantt chart shows. Memory for each job, and for each failure of a node.
class GanttObserver final : public Observer {
 public:
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time& now) override;
  void node_back(NodeId node, const Time& now) override;
  const std::vector<GanttJob>& jobs() const { return jobs_; }
  /// When the run is over: those under way end with the last job.
  std::vector<Outage> outages() const;

 private:
  std::vector<GanttJob> jobs_;
  std::vector<Outage> outages_;
  std::map<NodeId, double> out_;  ///< since when
  double last_ = 0;               ///< end of a job
};

}  // namespace toroid::cosim
