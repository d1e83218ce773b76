#pragma once
// One clock, one network, any number of jobs on it: each a replay that starts when it is told to and may be killed.

#include <functional>
#include <memory>
#include <vector>

#include "netsim/replay.hpp"

namespace toroid::netsim {

struct Job {
  const workloads::Trace* trace;
  std::vector<NodeId> placement;  ///< the node of each rank
  ReplayOptions options = {};
  double start = 0;  ///< seconds; not before the present
};

class Simulation final : NetworkClient {
 public:
  using JobId = std::uint32_t;

  explicit Simulation(Network& network) : network_(network) {}

  /// Jobs may be added before the run or while it goes on, e.g. when another one ends. Their traces must outlive the
  /// simulation.
  JobId add(Job job);
  /// Ends the job at that time, in seconds, or now if it has passed, unless the job has ended before. A job that has
  /// not started by then never does. Frees what it holds of the network.
  void kill(JobId job, double time);
  /// Called at the end of each job, while time stands still.
  void on_end(std::function<void(JobId)> callback) { on_end_ = std::move(callback); }

  /// Runs until nothing is left to happen. Throws SimulationError on deadlocks and unmatched messages.
  void run();

  const ReplayReport& report(JobId job) const { return jobs_.at(job)->report(); }

 private:
  struct Event {
    JobId job;
    bool is_start;
  };
  void flow_ended(std::uint32_t) override {}
  void timer_ended(std::uint32_t event) override;
  void schedule(Event event, double time);

  Network& network_;
  std::vector<std::unique_ptr<Replay>> jobs_;
  std::vector<Event> events_;
  std::function<void(JobId)> on_end_;
};

}  // namespace toroid::netsim
