#pragma once
// How much a program computes.

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// What a rank computes from its first operation to its last.
struct RankComputation {
  double amount = 0;  ///< the sum of its computations, see Computation
  double slept_s = 0;
};

/// What each rank computes. Goes through the programs of all ranks: of those that are not in memory only once through
/// what repeats itself.
core::IdVector<Rank, RankComputation> computation_by_rank(const Trace& trace);

}  // namespace toroid::workloads
