#pragma once
// How long a trace is, without going through it.

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The approximate number of operations of all ranks: the one that the trace knows, or, where the trace is computed in
/// steps, an estimate from a few steps of one rank; 0 where it is not known.
double about_length(const Trace& trace);

}  // namespace toroid::workloads
