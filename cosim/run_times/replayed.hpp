#pragma once
// Jobs whose run times the network decides: each replays its program, message by message, on the one network.

#include "cosim/run_times/placed_programs.hpp"
#include "netsim/simulation.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::cosim {

/// Replays the programs of jobs. A job whose program takes no time lasts as its log says.
class Replayed final : public RunTimes {
 public:
  /// Replays on `network` what `programs` says; both must outlive this.
  Replayed(PlacedPrograms& programs, netsim::Network& network);
  void start(const StartedJob& started, Ended ended) override;
  void kill(JobId job) override;
  void change(const Machine& machine) override { network_.change(machine, netsim::OnLinkFailure::reroute); }
  double cost(const StartedJob& started) override { return programs_.cost(started); }

 private:
  struct Running {
    PlacedProgram program;
    std::unique_ptr<workloads::RepeatedTrace> trace;
    Ended ended;
    JobId id = 0;
    std::uint64_t rounds = 1;
  };
  void end(netsim::Simulation::JobEnd end);

  PlacedPrograms& programs_;
  netsim::Network& network_;
  Logged logged_;
  std::unordered_map<netsim::Simulation::JobId, Running> running_;
  SharedLinks shared_links_;
  netsim::Simulation simulation_;
};

}  // namespace toroid::cosim
