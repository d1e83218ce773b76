#pragma once
// Advice for those who run a machine: which schedulers and allocators are not dominated on a log, how far each
// allocator leaves the free nodes in pieces, and what jobs would cost each other.

#include <optional>
#include <string>
#include <vector>

#include "study/advice/neighbours.hpp"
#include "study/trade_offs.hpp"

namespace toroid::study {

/// What is asked besides the sweep.
struct LogQuestions {
  std::vector<double> shares{0.1, 0.3, 0.5};  ///< of their time in which jobs are assumed to communicate
  double budget = 30;                         ///< work for that, in units of 10^8 steps (advice.hpp)
  std::size_t most_instants = 1000;  ///< at which neighbours are looked at; the budget decides how many there are
};

/// What neighbours cost at many instants, under one allocator.
struct NeighbourCosts {
  double share = 0;                       ///< see NeighbourCost
  double longer = 0;                      ///< the mean over instants
  double longest = 0;                     ///< of all jobs at all instants
  std::optional<Interval> interval = {};  ///< 95 % confidence interval of the mean; none for one instant
  /// How much more that is than under the first allocator: the mean over the instants that both have, and its interval.
  std::optional<double> more = {};
  std::optional<Interval> more_interval = {};
};

/// What an allocator does to the machine, with the first of the schedulers and the first seed.
struct AllocatorCosts {
  std::size_t allocator = 0;               ///< its number in the sweep
  std::optional<double> delayed = {};      ///< share of the jobs that waited although enough nodes were free
  std::optional<double> outside = {};      ///< Fragmentation::outside(); none where that would take too long
  std::size_t instants = 0;                ///< those at which two jobs or more had several nodes
  std::vector<NeighbourCosts> neighbours;  ///< by share; empty without such instants
  std::string error = {};                  ///< why nothing is known; empty otherwise
};

struct LogAdvice {
  JudgedSweep allocators;  ///< all allocators with the first scheduler
  JudgedSweep schedulers;  ///< all schedulers, if several, with the first allocator that none dominates
  /// Whether that one is only the first: one run of each decides nothing.
  bool allocator_is_undecided = false;
  std::vector<AllocatorCosts> costs;  ///< of each allocator
  std::size_t instants = 0;           ///< at which neighbours were looked at
};

/// Judges the allocators and the schedulers of `spec`, which has one machine and one log, by runs in so many worker
/// processes. The advice does not depend on their number. Throws InputError as Sweep does, SimulationError where no
/// allocator can run the log.
LogAdvice advise(const SweepSpec& spec, const LogQuestions& questions, std::size_t workers);

/// The advice as JSON (docs/reference/results.md).
core::Json log_advice_json(const LogAdvice& advice);

}  // namespace toroid::study
