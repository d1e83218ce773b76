#pragma once
// Parts of traces that are programs again: all that is sent in one is received in it.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// For each rank, how many operations lie before a place in its program.
using Places = core::IdVector<Rank, std::uint64_t>;

/// The places where iteration `first` (1, 2, ...) begins and iteration `last` ends; `last` is not below `first`. Throws
/// InputError if the trace does not know its iterations, or has fewer.
std::pair<Places, Places> iteration_places(const Trace& trace, std::uint64_t first, std::uint64_t last);

/// The places after the operations that begin before their rank has computed and slept for `seconds` in all; a flop is
/// a nanosecond.
Places time_places(const Trace& trace, double seconds);

/// The part of a trace from `from` to `to`. Both are moved on, as little as possible, until no message, request or
/// collective goes across them.
struct TracePart {
  std::unique_ptr<CompactTrace> trace;
  Places from, to;  ///< as they were moved
};
/// Cuts a part out of a trace, such that its run does what the run of the whole trace does there. Inits of persistent
/// requests that are started in the part come before it. Reads the trace three times and holds an index of its
/// messages. Throws InputError, with the place, on receives from any source or with any tag, as only a run tells which
/// messages they get; on messages without partner; on collectives that not all members call; and when the part is
/// empty.
TracePart cut_between(const Trace& trace, const Places& from, const Places& to);

/// The part of a trace that some ranks do, and what was left out.
struct RankCut {
  std::unique_ptr<CompactTrace> trace;
  std::uint64_t messages = 0, bytes = 0;  ///< sent by ranks that are left to ranks that are not
  std::uint64_t collectives = 0;          ///< calls that are left out because their root is
};
/// Cuts a trace to `ranks`, which ascend and get the numbers 0, 1, ... Messages with other ranks are left out.
/// Collectives become those of the ranks that are left, and are left out if their root is. Waits for what is left out
/// end at once. Throws InputError, with the place, on a receive from any source that a message from outside would fit.
RankCut cut_to_ranks(const Trace& trace, const std::vector<Rank>& ranks);

}  // namespace toroid::workloads
