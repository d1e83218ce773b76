#pragma once
// Advice for those who run a machine: which schedulers and allocators are not dominated on a log, how far each
// allocator leaves the free nodes in pieces, and what jobs would cost each other.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/neighbours.hpp"
#include "study/sweep.hpp"
#include "study/trade_offs.hpp"

namespace toroid::study {

/// What is asked besides the sweep.
struct LogQuestions {
  std::vector<double> shares{0.1, 0.3, 0.5};  ///< of their time in which jobs are assumed to communicate
  std::size_t most_instants = 8;              ///< at which neighbours are looked at
  double budget = 30;  ///< work for that, in units of 10^8 steps (advice.hpp): it decides how many instants there are
};

/// What an allocator does to the machine, with the first of the schedulers and the first seed.
struct AllocatorCosts {
  std::size_t allocator = 0;              ///< its number in the sweep
  std::optional<double> delayed = {};     ///< share of the jobs that waited although enough nodes were free
  std::optional<double> outside = {};     ///< Fragmentation::outside(); none where that would take too long
  std::vector<NeighbourCost> neighbours;  ///< by share; means over the instants, and the longest of all
  std::string error = {};                 ///< why nothing is known; empty otherwise
};

/// A sweep that was done, and what comes of it.
struct JudgedSweep {
  std::unique_ptr<Sweep> sweep;
  std::vector<SweepRow> rows;
  std::vector<SweepGroup> groups;
  std::vector<TradeOffs> trade_offs;
};

struct LogAdvice {
  JudgedSweep allocators;             ///< all allocators with the first scheduler
  JudgedSweep schedulers;             ///< all schedulers with the first allocator that none dominates
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
