#pragma once
// How fast jobs go through their rounds beside each other, and whether that is steady by now.

#include "cosim/run_times/placed_programs.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::cosim {

/// A trace of some rounds of a program, which counts the rounds that all ranks have ended.
class CountedRounds {
 public:
  /// `over` is called when all ranks have ended a round.
  CountedRounds(const LoadedTrace& loaded, std::uint64_t rounds, std::function<void()> over);
  CountedRounds(const CountedRounds&) = delete;
  CountedRounds& operator=(const CountedRounds&) = delete;

  const workloads::Trace& trace() const { return trace_; }

 private:
  void begun(std::uint64_t round);

  std::int32_t ranks_;
  std::uint64_t over_ = 0;                   ///< rounds that all ranks have ended
  std::vector<std::int32_t> ranks_through_;  ///< the number of ranks that have ended a round, by round
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

/// How fast the programs of a mix run, and how long a simulation it took to find that out.
struct Pace {
  std::vector<double> seconds;  ///< seconds that a round of each program takes
  double span = 0;              ///< simulated seconds until these were known
};

/// What is known of programs beside each other and alone: mixes recur, and need not be simulated each time.
class Situations {
 public:
  using Mix = std::span<const PlacedProgram* const>;

  Situations(const EpochOptions& options, PlacedPrograms& programs) : options_(options), programs_(programs) {}

  /// The pace of a mix, if it was simulated often enough; else nothing.
  std::optional<Pace> recall(Mix mix);
  /// Adds the pace of one more simulation of a mix. Returns the mean pace so far.
  Pace remember(Mix mix, const Pace& sample);
  /// What a program takes alone on the machine. A program of few rounds is simulated as a whole, others until their
  /// rounds are steady; the rounds after that are taken to go on at that rate.
  Alone alone(const PlacedProgram& program, std::uint64_t rounds);

  /// How often the pace of a mix was asked for, and how often a mix was simulated.
  std::uint64_t asked() const { return asked_; }
  std::uint64_t simulated() const { return simulated_; }

 private:
  struct Known {
    std::int32_t samples = 0;
    Pace pace;  ///< mean pace, programs in the order of the form
  };
  /// A program alone: seconds and rounds until it is steady, and seconds per round after that.
  struct Solo {
    double seconds = 0, per_round = 0;
    std::uint64_t rounds = 0;
    std::string complaint;
  };
  Symmetry::Form form(Mix mix) const;
  Known& known(const std::string& key);
  Solo measure(const PlacedProgram& program) const;

  EpochOptions options_;
  PlacedPrograms& programs_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, Solo> solos_;
  std::size_t kept_ = 0;  ///< bytes of all keys
  std::uint64_t asked_ = 0, simulated_ = 0;
};

}  // namespace toroid::cosim
