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

/// How fast the programs of a mix go on, and what it took to find that out.
struct Pace {
  std::vector<double> seconds;  ///< of a round of each
  double span = 0;              ///< simulated seconds until that was known
};

class Situations {
 public:
  using Mix = std::span<const PlacedProgram* const>;

  Situations(const EpochOptions& options, PlacedPrograms& programs) : options_(options), programs_(programs) {}

  /// What is known of a mix, if that is enough.
  std::optional<Pace> recall(Mix mix);
  /// Adds what was seen of it once more, and returns what is known then.
  Pace remember(Mix mix, const Pace& sample);
  /// A program that has the machine to itself: as a whole if it has few rounds, else those until they are steady, and
  /// the others at that rate.
  Alone alone(const PlacedProgram& program, std::uint64_t rounds);

  /// How many were asked for, and how often one was simulated.
  std::uint64_t asked() const { return asked_; }
  std::uint64_t simulated() const { return simulated_; }

 private:
  struct Known {
    std::int32_t samples = 0;
    Pace pace;  ///< means, in the order of the form
  };
  /// Until all is steady, and what comes after.
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
