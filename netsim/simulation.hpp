#pragma once
// Any number of jobs on one network and its clock: each a replay that starts when it is told to and may be killed. What
// has ended leaves nothing behind.

#include <unordered_map>

#include "netsim/network.hpp"
#include "toroid/netsim/replay_options.hpp"
#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

class Repeating;

/// One run of a placed trace on a network, which any number may share. A replay ends when its last rank finishes; when
/// nothing of it is under way while ranks are blocked, messages were not received, or ranks wait for what never was; or
/// when it is killed. By then it has nothing left on the network and its clock, and `ended` is called, last of all: the
/// replay may be destroyed within that call.
class Replay {
 public:
  using Ended = std::function<void(ReplayEnd)>;

  /// Trace and network must outlive the replay. The trace is not read before the start.
  Replay(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended);
  /// Takes what it has under way out of the network, without calling `ended`.
  ~Replay();

  /// Begins the replay now; is called once, and not after a kill.
  void start();
  /// The replay as those see it who pass over its iterations.
  Repeating& repeating();
  /// Ends the replay now, unless it has ended.
  void kill();

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
};

class FastForward;

struct Job {
  const workloads::Trace* trace;  ///< streams of it are opened when the job starts
  Mapping mapping;
  ReplayOptions options = {};
  Time start = {};  ///< not before the present
};

class Simulation final : TimerClient {
 public:
  using JobId = std::uint32_t;  ///< never given twice

  struct JobEnd : ReplayEnd {
    JobId job = 0;
  };

  /// The network must outlive it.
  explicit Simulation(Network& network, OnFailedJob on_failure = OnFailedJob::stop);
  ~Simulation() override;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Adds a job, before the run or while it goes on, e.g. when another one ends. Its trace must outlive it.
  JobId add(Job job);
  /// Ends a job at `time`, or in this instant if that has passed, unless the job has ended before. A job that has not
  /// started by then never starts. The earliest of several kills counts.
  void kill(JobId job, const Time& time);
  /// Sets what is called at the end of each job, in its instant, with its report. By then the job has nothing left on
  /// the network, and its nodes may be given to another job.
  void on_end(std::function<void(JobEnd)> callback) { on_end_ = std::move(callback); }

  /// From now on, before the run, iterations that repeat earlier ones are passed over, if the options of all jobs that
  /// run say so. The simulation must outlive the runs of its clock, and all flows must be of its jobs. Jobs may be
  /// sampled only then, and alone.
  void pass_over_repeats();

  /// Runs the clock until nothing is left to happen. Unless failures go on, throws SimulationError as soon as a job has
  /// deadlocked, ends with unmatched messages, or waits for a request that it never had.
  void run() { network_.clock().run(); }

  /// The number of jobs that were added and have not ended.
  std::size_t jobs() const { return jobs_.size(); }

 private:
  struct Live {
    Job job;
    std::optional<TimerId> start, kill;
    Time killed_at;
    std::unique_ptr<Replay> replay;  ///< null before the job starts
  };

  void timer_ended(std::uint32_t event) override;
  bool keeps_appointments() const override { return true; }
  void start(JobId id, Live& live);
  ReplayReport nothing_done(const Job& job) const;
  void end(JobId id, ReplayEnd end);

  Network& network_;
  OnFailedJob on_failure_;
  std::unique_ptr<FastForward> forward_;  ///< null if nothing is to be passed over
  std::unordered_map<JobId, Live> jobs_;
  JobId next_ = 0;
  std::function<void(JobEnd)> on_end_;
};

}  // namespace toroid::netsim
