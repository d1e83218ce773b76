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

/// Where iteration `first` (1, 2, ...) begins, and where `last`, not below it, ends. Throws InputError if the trace
/// does not know its iterations, or has fewer.
std::pair<Places, Places> iteration_places(const Trace& trace, std::uint64_t first, std::uint64_t last);

/// The operations that begin before each rank has computed and slept so long, in seconds; a flop is a nanosecond.
Places time_places(const Trace& trace, double seconds);

/// A cut by places: what lies from `from` to `to`, both moved on, as little as possible, until nothing goes across
/// them: no message, request or collective. Then a run of the part does what the run of the whole does there. Inits of
/// persistent requests that are started in it come before it. Reads the trace three times and holds an index of its
/// messages. Throws InputError, with the place, on receives from any source or with any tag, as only a run tells which
/// messages they get; on messages without partner and collectives
/// that not all call; and when nothing lies there.
struct Part {
  std::unique_ptr<CompactTrace> trace;
  Places from, to;  ///< as they were moved
};
Part cut_between(const Trace& trace, const Places& from, const Places& to);

/// A cut by ranks, which get the numbers 0, 1, ... in this ascending order. Messages with other ranks are left out, and
/// collectives are those of the ranks that are left; without their root they are left out. Waits for what is left out
/// end at once. Throws InputError, with the place, on a receive from any source that a message from outside would fit.
struct RankCut {
  std::unique_ptr<CompactTrace> trace;
  std::uint64_t messages = 0, bytes = 0;  ///< sent by ranks that are left to ranks that are not
  std::uint64_t collectives = 0;          ///< calls that are left out, as their root is
};
RankCut cut_to_ranks(const Trace& trace, const std::vector<Rank>& ranks);

}  // namespace toroid::workloads
