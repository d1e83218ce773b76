#pragma once
// Jobs that last as long as their log says, but for the part of that time in which they are assumed to communicate:
// how long this takes follows from their nodes and their neighbours, by a model of a few sums.

#include "cosim/run_times/placed_programs.hpp"

namespace toroid::cosim {

/// A job communicates for a share of its logged run time on the reference nodes (ProgramOptions::reference), alone. The
/// share is drawn for each job (ProgramOptions::communication). On its own nodes that takes as much longer as the
/// busiest link of a round does: by max-min fairness this is how long messages take that are sent at once. Beside
/// others a link takes longer by the share of time in which each of these has messages on it, as messages share a link
/// evenly and rounds of different jobs begin at any time. That share grows with the time that the link takes, so that
/// no link carries more than it can. All shares follow from each other, and are found by iteration whenever a job
/// begins or ends, or a link fails or comes back. What jobs compute is what is left of their logged run time. Jobs that
/// send nothing last as their log says.
class Modelled final : public RunTimes, netsim::TimerClient {
 public:
  /// `programs` and the clock must outlive it.
  Modelled(PlacedPrograms& programs, netsim::Clock& clock, std::uint64_t seed);
  void start(const StartedJob& started, Ended ended) override;
  void kill(JobId job) override;
  double cost(const StartedJob& started) override;
  void change(const Machine& machine) override;

 private:
  using Slot = std::uint32_t;
  struct Use : LinkTime {  ///< the seconds that each logged second keeps the link busy
    double beside = 0;     ///< the same beside the others, now
    double presence = 0;   ///< the share of time in which the job has messages on it, now
  };
  /// How many pairs of ranks have messages on a link: the mean over time, and the variance.
  struct Crowd {
    double mean = 0, variance = 0;
    void add(const Use& use, double sign);
    /// How many times as long as alone the messages of so many pairs take beside these. All are taken for one job with
    /// that mean and variance, which is there or not: exact for one neighbour, and for any that are always there.
    double stretch(double pairs) const { return mean > 0 ? 1 + mean / (pairs + variance / mean) : 1; }
  };
  struct Running {
    JobId id = 0;
    std::shared_ptr<const Exchange> exchange;
    double run_time = 0;   ///< the run time in its log, seconds
    double scale = 0;      ///< logged seconds in which it communicates, by those of a round on the reference nodes
    double computing = 0;  ///< seconds of computation for each of these seconds
    double alone = 1;      ///< seconds that each of these seconds takes alone, on its nodes of the whole machine
    double pace = 1;       ///< the same beside the others, now
    double left = 0;       ///< logged seconds that are still to be run, at `since`
    Time since, limit;
    Ended ended;
    std::vector<Use> uses;
    netsim::TimerId end = 0;
    bool is_cut = false;  ///< whether it ends at its limit, before its work is done
  };

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }
  /// A job as it would begin on its nodes now; nothing if it lasts as its log says.
  std::optional<Running> running_on(const StartedJob& started);
  /// How long it keeps links busy on the machine as it is now.
  std::vector<Use> uses_now(const Running& running) const;
  void leave_links(Slot slot);
  bool renew(Running& running);
  void set_end(Slot slot);
  void add_neighbours(const Running& running, std::vector<Slot>& found);
  void settle(std::vector<Slot> due);
  void finish(Slot slot, End end);

  PlacedPrograms& programs_;
  const Machine* machine_;  ///< the machine with the links that work now
  netsim::Clock& clock_;
  std::uint64_t seed_;
  Logged logged_;
  core::Pool<Running> running_;
  core::IdVector<platforms::LinkId, std::vector<Slot>> users_;
  core::IdVector<platforms::LinkId, Crowd> crowds_;
  std::vector<bool> found_;  ///< the slots that are among the neighbours already
};

}  // namespace toroid::cosim
