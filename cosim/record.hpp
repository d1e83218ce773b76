#pragma once
// What became of a job.

#include "cosim/run_times/run_times.hpp"

namespace toroid::cosim {

struct Record {
  const jobs::Job& job;
  JobId id = 0;
  Time submitted, started, ended;  ///< for a rejected job, the last two are when it was rejected
  Time estimate;                   ///< the estimate that its scheduler saw
  End end = End::done;
  bool again = false;             ///< whether it was interrupted and is in the queue again
  std::span<const NodeId> nodes;  ///< its nodes in the order of ranks; if its demand changed, the most that it had
  double node_seconds = 0;        ///< node-seconds that it had
  double demanded_seconds = 0;    ///< node-seconds that it had work for: less if it has its peak demand all the time
  std::string_view reason = {};   ///< why its allocator refused it last though enough nodes were free; empty: never
  const Work* work = nullptr;  ///< what it did on the network; null while it runs, and if its log says how long it runs

  double wait() const { return (started - submitted).seconds(); }
  double run_time() const { return (ended - started).seconds(); }
  double response() const { return (ended - submitted).seconds(); }
};

/// Is told what happens in a run. Its arguments are valid during the call.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void submitted(const jobs::Job&, JobId, const Time&) {}
  virtual void started(const Record&) {}
  /// The job has these nodes from now on.
  virtual void resized(JobId, std::span<const NodeId>, const Time&) {}
  virtual void ended(const Record&) {}
  virtual void node_out(NodeId, const Time&) {}
  virtual void node_back(NodeId, const Time&) {}
  /// Everything of an instant has happened, in which jobs were submitted, started, resized or ended.
  virtual void settled(const Time&) {}
};

}  // namespace toroid::cosim
