#pragma once
// How long jobs run: as their log says (logged.hpp), or as the network decides, where all their messages are replayed
// (replayed.hpp) or some, in epochs (epochs.hpp).

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/figure.hpp"
#include "cosim/scheduler.hpp"
#include "cosim/work.hpp"
#include "jobs/jobs.hpp"

namespace toroid::cosim {

/// A job that begins to run.
struct StartedJob {
  /// Gives the job as many nodes as it wants if it can, takes what it has too many, and calls `resized` with the number
  /// that it has then: at once, or later in simulated time.
  using Resize = std::function<void(std::int32_t wanted, std::function<void(std::int32_t)> resized)>;

  const jobs::Job& job;  ///< need not outlive the call that begins the job
  JobId id;
  std::span<const platforms::NodeId> nodes;  ///< need not outlive that call either
  Time limit;                                ///< when the job is killed; Time::never() if it is not
  Resize resize = {};                        ///< empty if the job keeps its nodes, whatever its demand
};

/// Lets jobs run on the clock of the loop, and decides how long.
class RunTimes {
 public:
  virtual ~RunTimes() = default;

  /// Tells how a job ended and, if the network decided about it, what it did.
  using Ended = std::function<void(End, std::optional<Work>)>;
  /// Begins a job now. `ended` is called once, after this call, in the instant in which the job ends; by then it has
  /// nothing left on the clock and the network.
  virtual void start(const StartedJob& started, Ended ended) = 0;
  /// Ends a running job in this instant. It counts as killed unless it has already ended in the instant.
  virtual void kill(JobId job) = 0;
  /// Returns what has been counted so far.
  virtual std::vector<core::Figure> figures() const { return {}; }
};

}  // namespace toroid::cosim
