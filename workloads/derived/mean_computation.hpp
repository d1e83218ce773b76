#pragma once
// Recorded computation differs from iteration to iteration, so that no iteration of a recorded program begins in the
// state in which another one began. With means over iterations in its place all iterations are alike.

#include <cstdint>
#include <memory>
#include <optional>

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// How much the computation varied that means stand for. A deviation is a standard deviation between iterations (of a
/// sample) over the mean, and is the mean over all ranks, weighted by how much is computed.
struct ComputationVariation {
  std::uint64_t iterations = 0;   ///< iterations of the rank that has most; 0: no rank has any
  std::int32_t ranks = 0;         ///< ranks that have iterations
  double share = 0;               ///< the share of all computation that lies in iterations
  double between_operations = 0;  ///< deviation of what a rank computes between two successive operations
  double of_iterations = 0;       ///< deviation of what a rank computes in an iteration
  double of_worst_rank = 0;       ///< the same for the rank in which it is largest
  /// How much longer, as a share, the slowest ranks of all iterations compute in sum than the slowest rank does by
  /// means: what means hide where ranks wait for each other in each iteration. There is none if ranks have no
  /// iterations or not equally many.
  std::optional<double> hidden = {};
};

/// A trace in which each computation of an iteration is the mean over all iterations of the rank. What each rank
/// computes in all, its operations and their order are kept. Two computations take each other's place if they are the
/// n-th behind the same operation of the iteration; an iteration without an n-th computation counts as one that
/// computes 0 there. Iterations are the shortest sequence of operations, whatever is computed between them, that comes
/// three times or more and fills at least half of the rank's program. What a rank computes before the first operation
/// and behind the last operation of its iterations is as recorded, since preparations may be part of it.
///
/// A rank whose iterations are equal already, or that has none, is as in `trace`. Traces that are not in memory, and
/// those of generators, are returned as they are.
std::shared_ptr<const Trace> with_mean_computation(std::shared_ptr<const Trace> trace);

/// How much the computation varied for which a trace has means; all 0 for traces not of with_mean_computation().
ComputationVariation variation_of(const Trace& trace);

}  // namespace toroid::workloads
