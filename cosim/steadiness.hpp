#pragma once
// How fast jobs go through their rounds beside each other, and whether that is steady by now.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cosim/placed_programs.hpp"
#include "netsim/time.hpp"
#include "workloads/derived/repeated_trace.hpp"

namespace toroid::cosim {

using netsim::Time;

struct EpochOptions {
  double error = 0.02;       ///< relative error of rates: jobs go on at rates that are known that well
  std::int32_t rounds = 32;  ///< rounds of each job (2 or more) after which the measured rates are used in any case
  std::int32_t samples = 3;  ///< how many times a mix that recurs is simulated before the known rates are used
};

/// A trace of some rounds of a program, which counts the rounds that all ranks have ended.
class CountedRounds {
 public:
  /// `over` is called when all ranks have ended a round.
  CountedRounds(const LoadedTrace& loaded, std::uint64_t rounds, std::function<void()> over);
  CountedRounds(const CountedRounds&) = delete;
  CountedRounds& operator=(const CountedRounds&) = delete;

  const workloads::Trace& trace() const { return trace_; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  void begun(std::uint64_t round);

  std::int32_t ranks_;
  std::uint64_t rounds_, over_ = 0;
  std::vector<std::int32_t> ranks_through_;  ///< by round, the number of ranks that have ended it
  std::function<void()> tell_;
  workloads::RepeatedTrace trace_;
};

/// Measures the rates of jobs that run beside each other, and decides whether these are steady. All jobs are measured
/// over the same time, so that fast jobs meet slow ones in all their phases. Time is divided into parts, in each of
/// which every job ends a number of rounds. Of eight parts the first two do not count, as ranks start in step and take
/// some rounds to fall out of it. Rates are steady when parts 3 and 4 agree with the last four, and these with each
/// other, within the allowed error, and did so half as many rounds before: ranks may go in step for some rounds before
/// they fall out of it. If not, each two parts become one, and the test comes again with eight parts, after twice as
/// many rounds.
class Steadiness {
 public:
  Steadiness(std::size_t jobs, const Time& now, const EpochOptions& options);

  /// Notes that a job has ended a round. Returns whether the rates are known now: because they are steady, or because
  /// there were enough rounds.
  bool round_over(std::size_t job, const Time& now);

  const Time& began() const { return began_; }
  /// For each job the mean seconds per round in the second half of the measured time.
  std::vector<double> seconds_per_round() const;

 private:
  /// The number of rounds that a job had ended, and when it ended the last one.
  struct Mark {
    std::uint64_t rounds = 0;
    Time time;
  };
  struct Seen {
    Mark now;
    std::uint64_t wanted = 1;  ///< number of rounds at the next mark
    std::vector<Mark> marks;   ///< at the ends of parts, the first at the beginning
    double seconds(std::size_t from, std::size_t to) const;
  };
  bool cut();
  bool is_steady() const;

  EpochOptions options_;
  Time began_;
  std::vector<Seen> jobs_;
  bool was_steady_ = false;  ///< at the last test
  std::size_t missing_;      ///< number of jobs that have not ended enough rounds for the next mark
  std::uint64_t part_ = 1;   ///< rounds in a part
};

}  // namespace toroid::cosim
