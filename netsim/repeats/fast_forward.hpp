#pragma once
// Iterations that repeat earlier ones are not simulated again. Whenever the rank that keeps time comes to an iteration,
// the state of all jobs on a network, and of the network, is compared with those at the last iterations. If it was
// there before, everything will happen once more as it has since then, as long as all ranks go on with the same
// operations. So one such period is simulated, from which a tally learns what grows in it; if the state is the same
// again at its end, all further periods are passed over that come to their end before the next appointment.
//
// Most states that return do so at the next iteration. A tally that costs little is therefore begun at once, as if the
// present state were known to return: then no iteration is simulated for the tally alone.

#include "netsim/network.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "netsim/repeats/tally.hpp"

namespace toroid::netsim {

/// A job as one sees it who passes over its iterations.
class Repeating {
 public:
  virtual ~Repeating() = default;

  /// Whether nobody wants more of the job than what a tally knows.
  virtual bool may_be_passed_over() const = 0;
  /// Where the rank of the job is that may keep time for all.
  struct Beat {
    workloads::Rank rank = 0;
    std::uint64_t iteration = 0;  ///< the iteration that the rank has begun last, from 1 on
    std::uint64_t left = 0;       ///< iterations that it has not begun
  };
  /// Nothing if none of its ranks iterates any more.
  virtual std::optional<Beat> beat() const = 0;
  /// What was simulated of it, or passed over, in messages.
  virtual std::uint64_t size() const = 0;
  /// The messages that have set out.
  virtual std::uint64_t messages() const = 0;

  // A walk comes to all jobs, then to the network, then to all jobs once more.

  virtual void walk_ranks(StateWalk& walk) = 0;
  virtual void walk_cores(StateWalk& walk) = 0;
  /// Shows what counts in it to a tally.
  virtual void tally(Tally& tally) = 0;

  using Marks = std::vector<workloads::StreamMark>;
  /// Where its ranks are in their streams, by rank.
  virtual Marks marks() const = 0;
  /// How often the operations since then come again from now on, at most so often.
  virtual std::uint64_t repeats(const Marks& since, std::uint64_t most) const = 0;
  /// The next walk moves the state on by so many times what came since then.
  virtual void begin_move(const Marks& since, std::uint64_t times) = 0;
  /// The walk is over: the streams go on behind what is passed over.
  virtual void end_move(const Marks& since, std::uint64_t times, const RepeatedIterations& iterations) = 0;
};

class FastForward {
 public:
  /// The network must outlive it.
  explicit FastForward(Network& network) : network_(network) {}

  /// A job begins, which must live until it is removed; or ends.
  void add(Repeating& job);
  void remove(Repeating& job);

  /// When an instant is over: passes over what repeats, if the rank that keeps time has come to an iteration.
  void between_instants();

 private:
  /// How many pictures are kept. Turns at a router may go round in more iterations than a program does.
  std::size_t kept() const { return network_.has_exact_times() ? 64 : 12; }

  /// A state at an iteration.
  struct Moment {
    std::uint64_t iteration = 0;
    Time time = {};
    std::uint64_t hash = 0;
    StatePicture picture = {};  ///< without its words, but for the beginning of a period
  };
  /// A job at the beginning of a period.
  struct Begin {
    Repeating::Marks marks;
    std::uint64_t iteration, messages;
  };
  /// A period that is being simulated.
  struct Period {
    Moment begin;
    /// In iterations of the rank that keeps time. 0: it was begun before its state was known to return, and ends with
    /// the next look.
    std::uint64_t length;
    std::vector<Begin> jobs;
  };

  void begin_anew();
  void end_period();
  std::optional<std::uint64_t> find_beat();
  void look(std::uint64_t iteration);
  void walk();
  void walk_timers();
  Moment now(std::uint64_t iteration) const;
  bool is_same(const Moment& a, const Moment& b) const;
  void look_back(Moment&& moment);
  void begin_period(Moment begin, std::uint64_t length);
  bool pass_over(const Period& period, const Moment& end);
  std::uint64_t repeats(const Period& period, const Moment& end) const;
  void tally();
  bool is_worth(std::uint64_t words) const;

  Network& network_;
  std::vector<Repeating*> jobs_;
  std::size_t not_passed_ = 0;       ///< how many of the jobs may not be passed over
  Repeating* keeper_ = nullptr;      ///< the job whose rank keeps time
  workloads::Rank keeper_rank_ = 0;  ///< the rank that keeps time
  std::uint64_t iteration_ = 0;      ///< the iteration that this rank has begun last
  StateWalk walk_;
  Time appointment_ = Time::never();  ///< the first one that the last walk saw
  Tally tally_;
  std::deque<Moment> moments_;  ///< the last ones
  std::optional<Period> period_;
  std::uint64_t looks_ = 0, words_ = 0;  ///< so far, and what they have seen
  std::uint64_t ended_ = 0;              ///< the sizes of jobs that have gone
};

}  // namespace toroid::netsim
