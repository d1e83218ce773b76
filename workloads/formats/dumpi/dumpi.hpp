#pragma once
// DUMPI, the traces of the SST simulators, as their program dumpi2ascii prints them: a text per rank, in which each MPI
// call has a line where it is entered, one for each argument, and one where it returns, with wall times. A trace is a
// top file with the paths of such texts, in rank order, or the text of a program of one rank. What is understood is in
// docs/reference/traces.md.

#include <memory>
#include <string>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads a trace. Throws InputError `file:line: found, expected` on anything that is not understood completely.
std::unique_ptr<CompactTrace> read_dumpi(const std::string& path);

}  // namespace toroid::workloads
