#pragma once
// How fast jobs go through their rounds beside each other, and whether that is steady by now.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cosim/placed_programs.hpp"
#include "netsim/time.hpp"
#include "workloads/repeated_trace.hpp"

namespace toroid::cosim {

using netsim::Time;

struct EpochOptions {
  double error = 0.02;       ///< of the rates, relative: when they are known to that, jobs go on at them
  std::int32_t rounds = 32;  ///< of each job, 2 or more: after so many what is seen of the rates is taken for them
  std::int32_t samples = 3;  ///< of a mix that recurs: so many times it is simulated, then what is known is used
};

/// Some rounds of a program as a trace, counted as all its ranks go through them.
class CountedRounds {
 public:
  /// `over` is called when a round is over.
  CountedRounds(const LoadedTrace& loaded, std::uint64_t rounds, std::function<void()> over);
  CountedRounds(const CountedRounds&) = delete;
  CountedRounds& operator=(const CountedRounds&) = delete;

  const workloads::Trace& trace() const { return trace_; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  void begun(std::uint64_t round);

  std::int32_t ranks_;
  std::uint64_t rounds_, over_ = 0;
  std::vector<std::int32_t> ranks_through_;  ///< by round
  std::function<void()> tell_;
  workloads::RepeatedTrace trace_;
};

/// What was seen of jobs since they have been beside each other: all in the same time, so that what is quick meets what
/// is slow in all of its phases. Time is cut where each job has ended so many rounds more. Of eight such parts the
/// first two do not count: ranks start in step and it takes some rounds until they have fallen out of it. It is steady
/// when the next two agree with the last four, and these with each other, within the error that is allowed; if they do
/// not, two parts become one, and there are eight again after twice as many rounds.
class Steadiness {
 public:
  Steadiness(std::size_t jobs, const Time& now, const EpochOptions& options);

  /// A job has ended a round. True if the rates are known now: they are steady, or there were rounds enough.
  bool round_over(std::size_t job, const Time& now);

  const Time& began() const { return began_; }
  /// By job, mean of the second half of what was seen.
  std::vector<double> seconds_per_round() const;

 private:
  /// Rounds that a job had ended, and when the last one was.
  struct Mark {
    std::uint64_t rounds = 0;
    Time time;
  };
  struct Seen {
    Mark now;
    std::uint64_t wanted = 1;  ///< rounds, for the next mark
    std::vector<Mark> marks;   ///< at the ends of parts, the first at the beginning
    double seconds(std::size_t from, std::size_t to) const;
  };
  bool cut();
  bool is_steady() const;

  EpochOptions options_;
  Time began_;
  std::vector<Seen> jobs_;
  std::size_t missing_;     ///< jobs that have not ended rounds enough for the next mark
  std::uint64_t part_ = 1;  ///< rounds
};

}  // namespace toroid::cosim
