#pragma once
// What jobs do while they run, where that is more than to last as long as their log says.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "cosim/scheduler.hpp"
#include "netsim/replay_report.hpp"
#include "workloads/jobs/jobs.hpp"

namespace toroid::cosim {

/// How a job came to its end, or to none.
enum class End : std::uint8_t {
  done,
  killed,       ///< at its estimate
  failed,       ///< its program cannot go on
  interrupted,  ///< a node of it failed
  rejected      ///< never started: the machine is too small for it
};

/// What a job did on the network. Times in seconds.
struct Work {
  std::string program;
  std::string complaint;            ///< if it failed
  double alone = 0;                 ///< run time, had it had the machine to itself, on the same nodes; 0: not known
  std::uint64_t max_link_load = 0;  ///< bytes of its own over the link that carried most of them; 0: not known
  netsim::Traffic traffic;          ///< sent
  std::optional<netsim::History> critical_path;

  /// What the neighbours cost: run time over that alone; 0 if not known.
  double slowdown(double run_time) const { return alone > 0 ? run_time / alone : 0; }
};

/// Lets jobs do their work, on the clock of the loop, for which they take as long as they take.
class Worker {
 public:
  virtual ~Worker() = default;

  struct Start {
    const workloads::Job& job;
    JobId id;
    std::span<const platforms::NodeId> nodes;
    Time limit;  ///< when it is killed; Time::never() if it is not
  };
  using Ended = std::function<void(End, Work)>;
  /// The job begins now. `ended` is called once, after this call, in the instant in which the job ends; by then it has
  /// nothing left on the network. False, without any call, if it has nothing to do there: it lasts as its log says
  /// then.
  virtual bool start(const Start& start, Ended ended) = 0;
  /// Ends a job that it works on in this instant, as killed unless it has ended in it before.
  virtual void kill(JobId job) = 0;
  /// What it counted so far.
  virtual std::vector<alloc::Figure> figures() const { return {}; }
};

}  // namespace toroid::cosim
