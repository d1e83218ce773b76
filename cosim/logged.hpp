#pragma once
// Jobs that last as long as their log says.

#include <cstdint>

#include "core/pool.hpp"
#include "cosim/run_times.hpp"
#include "netsim/clock.hpp"

namespace toroid::cosim {

/// Ends each job after its logged run time. A job whose demand changes goes through phases of equal work time and asks
/// for the nodes of each; a phase takes as much longer as nodes are missing.
class Logged final : public RunTimes, netsim::TimerClient {
 public:
  /// The clock must outlive this.
  explicit Logged(netsim::Clock& clock) : clock_(clock) {}
  void start(const StartedJob& started, Ended ended) override;
  void kill(JobId job) override;

 private:
  using Slot = std::uint32_t;
  struct Running {
    JobId id = 0;
    jobs::Demand demand = jobs::Demand::constant;
    std::int32_t size = 0;
    double run_time = 0;
    Time limit;
    StartedJob::Resize resize;
    Ended ended;
    std::int32_t phase = 0;
    bool is_cut = false;      ///< whether the phase ends at the limit, before its work is done
    netsim::TimerId end = 0;  ///< timer of the end of the phase
  };

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }
  void run_phase(Slot slot, std::int32_t nodes);
  void end(Slot slot, End how);

  netsim::Clock& clock_;
  core::Pool<Running> running_;
};

}  // namespace toroid::cosim
