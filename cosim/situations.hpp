#pragma once
// What is known of programs beside each other and alone: mixes recur, and need not be simulated each time.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cosim/placed_programs.hpp"
#include "cosim/steadiness.hpp"

namespace toroid::cosim {

/// How fast the programs of a mix run, and how long a simulation it took to find that out.
struct Pace {
  std::vector<double> seconds;  ///< seconds that a round of each program takes
  double span = 0;              ///< simulated seconds until these were known
};

class Situations {
 public:
  using Mix = std::span<const PlacedProgram* const>;

  Situations(const EpochOptions& options, PlacedPrograms& programs) : options_(options), programs_(programs) {}

  /// The pace of a mix, if it was simulated often enough; else nothing.
  std::optional<Pace> recall(Mix mix);
  /// Adds the pace of one more simulation of a mix. Returns the mean pace so far.
  Pace remember(Mix mix, const Pace& sample);
  /// What a program takes alone on the machine. It is simulated as a whole if it has few rounds, else until its rounds
  /// are steady; the other rounds are taken to go on at that rate.
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
