#pragma once
// The rounds of all jobs of a run, one after the other, and what becomes of them.

#include "netsim/replay/logs.hpp"
#include "netsim/simulation.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::netsim {

class Rounds {
 public:
  /// Run and network must outlive the rounds.
  Rounds(const Run& run, Network& network);
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Lets all jobs run until the last one has ended. What becomes of them is the result, without what links carried.
  /// Throws SimulationError and InputError as netsim::run() does.
  Result play();

 private:
  struct Running {
    JobResult result;
    core::IdVector<workloads::Rank, RankReport> ranks;  ///< what ranks reported in the round that ended last
    Simulation::JobId round = 0;                        ///< the present one
    Time killed_at = Time::never();
    bool over = false;
    std::optional<std::size_t> last_round = {};  ///< its position in logged_
    ActivityLog activity = {};                   ///< activity of the rounds that have ended
  };

  void begin_jobs();
  void begin_round(std::size_t job, const Time& start);
  void ended(Simulation::JobEnd end);
  void keep(Running& running, std::size_t job, ReplayReport report, bool is_done);
  bool goes_on(std::size_t job) const;
  void finish(std::size_t job, ReplayOutcome how, const std::string& complaint);
  void end_background();
  void tell_last_rounds();
  Result only();
  Result joined();

  const Run& run_;
  Network& network_;
  Simulation simulation_;
  std::vector<Running> jobs_;
  bool is_only_;                                               ///< one job with one round that begins with the run
  ReplayReport report_;                                        ///< report of that round
  std::unordered_map<Simulation::JobId, std::size_t> job_of_;  ///< jobs by round
  std::vector<LoggedRound> logged_;                            ///< all rounds that have ended, where causes are logged
  std::size_t waited_for_ = 0;                                 ///< jobs that end by themselves and have not ended
};

}  // namespace toroid::netsim
