#pragma once
// A recorded program has computations between some of its operations, in one iteration here and in another one there.
// Where computations do not count, iterations are alike in which the program calls for the same.

#include <memory>

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The trace with the operations of each rank that are no computations (OpKind::compute), which are counted without
/// these. Where an operation stands, it says as `trace` does, which must outlive it. Null if `trace` is not in memory
/// as it was recorded: the streams of generators, for example, tell by themselves what repeats whatever is computed.
/// The function returns null, too, if the program of a rank has strands, which count computations (is_strand()).
std::unique_ptr<const Trace> without_computations(const Trace& trace);

}  // namespace toroid::workloads
