#pragma once
// The iterations that all ranks of a program go through together, whatever they compute in them.

#include "toroid/workloads/trace.hpp"

namespace toroid::workloads {

/// Where the iterations of a rank are among its operations that are no computations: `length` of these each, after the
/// first `first` ones. An iteration ends where the next one begins, behind the computations in between.
struct RankLoop {
  std::uint64_t first = 0, length = 0;
};

/// The iterations of a program. An iteration has the same number on all ranks, or one more or less: what a program does
/// before its iterations may look like the end of an iteration, on some ranks.
struct CommonIterations {
  std::uint64_t count = 0;  ///< 0: there are none
  core::IdVector<Rank, RankLoop> ranks = {};
  std::string why_none = {};  ///< the reason in words, such as `rank 3 has no iterations`
};

/// Finds the iterations that the trace knows of (Trace::rounds()), or else those in the operations besides
/// computations, as core::repetition_in() does; not in programs of more than 2^24 operations of a rank, which would
/// take too much memory. A rank that goes round k times as often as another one has k rounds in an iteration. Reads
/// programs whole of which the trace knows nothing.
CommonIterations common_iterations(const Trace& trace);

/// A number for what an operation does, but for how long it computes. Two operations that differ have the same number
/// by chance alone, once in about 2^64 pairs.
std::uint64_t structure_of(const Operation& operation);

/// A recorded program has computations between some of its operations, in one iteration here and in another one there.
/// Where computations do not count, iterations are alike in which the program calls for the same.
///
/// Returns the trace with the operations of each rank that are no computations (OpKind::compute), which are counted
/// without these. Where an operation stands, it says as `trace` does, which must outlive it. Null if `trace` is not in
/// memory as it was recorded: the streams of generators, for example, tell by themselves what repeats whatever is
/// computed. The function returns null, too, if the program of a rank has strands, which count computations
/// (is_strand()).
std::unique_ptr<const Trace> without_computations(const Trace& trace);

}  // namespace toroid::workloads
