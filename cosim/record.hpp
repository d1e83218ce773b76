#pragma once
// What became of a job.

#include <cstdint>
#include <span>
#include <string_view>

#include "alloc/allocator.hpp"
#include "cosim/scheduler.hpp"
#include "cosim/work.hpp"
#include "workloads/jobs/jobs.hpp"

namespace toroid::cosim {

using platforms::Machine;

struct Record {
  const workloads::Job& job;
  JobId id = 0;
  Time submitted, started, ended;  ///< of a rejected job all the same
  Time estimate;                   ///< as its scheduler saw it
  End end = End::done;
  bool again = false;             ///< interrupted, and in the queue once more
  std::span<const NodeId> nodes;  ///< in order of the ranks; if its demand changed, when it held most
  double node_seconds = 0;        ///< held
  double demanded_seconds = 0;    ///< of which it had something to do for; less where it holds its peak all along
  const Work* work = nullptr;     ///< what it did, where there is more to say; null also while it runs

  double wait() const { return (started - submitted).seconds(); }
  double run_time() const { return (ended - started).seconds(); }
  double response() const { return (ended - submitted).seconds(); }
};

/// Hears what happens in a run. What it is given holds during the call.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void submitted(const workloads::Job&, JobId, const Time&) {}
  virtual void started(const Record&) {}
  /// The job holds these nodes from now on.
  virtual void resized(JobId, std::span<const NodeId>, const Time&) {}
  virtual void ended(const Record&) {}
  virtual void node_out(NodeId, const Time&) {}
  virtual void node_back(NodeId, const Time&) {}
  /// All of an instant has happened, and jobs have ended, come or started in it.
  virtual void settled(const Time&) {}
};

}  // namespace toroid::cosim
