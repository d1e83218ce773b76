#pragma once
// How long jobs run: as their log says (Logged), or as the network decides, where all their messages are replayed
// (Replayed) or some, in epochs (Epochs).

#include "netsim/time/clock.hpp"
#include "toroid/cosim/scheduler.hpp"
#include "toroid/jobs/jobs.hpp"
#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::cosim {

/// How a job ended.
enum class End : std::uint8_t {
  done,
  killed,       ///< killed at its estimate
  failed,       ///< its program cannot go on
  interrupted,  ///< one of its nodes failed
  rejected      ///< never started: the machine is too small for it
};

/// What a job lost to another one.
struct Loss {
  JobId to = 0;
  std::string name;    ///< the name of that other job in its log
  double seconds = 0;  ///< the run time that was lost, above 0
};

/// What a job did on the network. Times are in seconds.
struct Work {
  std::string program;
  std::string complaint;            ///< why it failed; empty if it did not
  double alone = 0;                 ///< run time alone on the machine, on the same nodes; 0: not known
  std::uint64_t max_link_load = 0;  ///< its bytes on the link that carried most of them; 0: not known
  netsim::SentMessages traffic;     ///< the messages that it sent
  std::optional<netsim::History> critical_path;
  /// Jobs to which it lost time, the most first (shared_links.hpp); empty unless `alone` is known.
  std::vector<Loss> losses = {};
  double left_out = 0;  ///< seconds that its busiest rank would compute besides, where computation is left out

  /// What the neighbours cost: the run time divided by that alone; 0 if not known.
  double slowdown(double run_time) const { return alone > 0 ? run_time / alone : 0; }
};

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
  /// Ends a running job in this instant. The job counts as killed unless it has already ended in the instant.
  virtual void kill(JobId job) = 0;
  /// See Placements::cost(): of a job that has not begun.
  virtual double cost(const StartedJob&) { return 1; }
  /// From now on the machine is another one with the same nodes, routers and links, of which others have failed.
  virtual void change(const platforms::Machine&) { TOROID_ASSERT(false); }  // check() refuses the others
  /// Returns what has been counted so far.
  virtual std::vector<core::Figure> figures() const { return {}; }
};

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
