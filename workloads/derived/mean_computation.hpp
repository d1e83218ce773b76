#pragma once
// Recorded computation differs from iteration to iteration, so that no iteration of a recorded program begins in the
// state in which another one began. With means over iterations in its place all iterations are alike.

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

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
