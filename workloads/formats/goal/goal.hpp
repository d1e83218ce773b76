#pragma once
// GOAL, the input of LogGOPSim: for each rank sends, receives and calculations, and which of them require that others
// have ended (`requires`) or begun (`irequires`). T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly
// Language, ICPP 2009. The grammar is in docs/reference/traces.md.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads a schedule; see goal_order.hpp for what becomes of a rank's graph. Throws InputError `file:line: found,
/// expected` on anything that is not understood completely.
std::unique_ptr<CompactTrace> read_goal(const std::string& path);

/// Adds a trace to the outputs as a GOAL schedule (zstd if the name ends in .zst). Collectives are written as the
/// messages of their algorithms, a flop as a nanosecond. What GOAL cannot say (any source or tag, waits for one of
/// several requests, sends that are not standard) is an InputError.
void write_goal(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                const std::string& path);

}  // namespace toroid::workloads
