#pragma once
// How long a trace is, without going through it.

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// About how many operations all ranks have: as many as the trace says, or, where it is computed in steps, by a few
/// steps of one rank; 0 where nobody knows.
double about_length(const Trace& trace);

}  // namespace toroid::workloads
