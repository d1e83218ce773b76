#pragma once
// How fast programs iterate beside each other: a mix of them in a statistical steady state.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cosim/placed_programs.hpp"

namespace toroid::cosim {

struct EpochOptions {
  std::int32_t rounds = 8;    ///< of each job that are measured in a mix
  std::int32_t samples = 3;   ///< of a mix that recurs: so many times it is simulated, then what is known is used
  std::int32_t warm_up = 20;  ///< rounds before: ranks that nothing keeps in step take that many to fall out of it
};

/// What a job does over and over within an epoch: a round, or, of a program of few rounds, all of them.
struct Unit {
  const PlacedProgram* program;
  std::uint64_t rounds = 1;  ///< in a unit
  bool whole = false;        ///< the next one begins when all ranks have ended this one
};

/// How fast a job goes on.
struct Pace {
  double seconds = 0;     ///< of a unit
  std::string complaint;  ///< why it cannot go on, if it fails
};

class Situations {
 public:
  Situations(const EpochOptions& options, PlacedPrograms& programs, std::uint64_t seed)
      : options_(options), programs_(programs), seed_(seed) {}

  /// Of each the mean seconds of a unit, where all of them go on for ever on one network. Phases are drawn at random.
  /// Where one of them fails, that alone is known: the others go on without it, which is another mix.
  std::vector<Pace> paces(std::span<const Unit> units);

  /// How many were asked for, and how many of them were simulated.
  std::uint64_t asked() const { return asked_; }
  std::uint64_t simulated() const { return simulated_; }

 private:
  struct Known {
    std::int32_t samples = 0;
    std::vector<Pace> paces;  ///< means, in the order of the form
  };
  Known& recall(const std::string& key, std::size_t units);
  std::vector<Pace> simulate(std::span<const Unit> units, const std::string& stream);

  EpochOptions options_;
  PlacedPrograms& programs_;
  std::uint64_t seed_;
  std::unordered_map<std::string, Known> known_;
  std::size_t kept_ = 0;  ///< bytes of their keys
  std::uint64_t asked_ = 0, simulated_ = 0;
};

}  // namespace toroid::cosim
