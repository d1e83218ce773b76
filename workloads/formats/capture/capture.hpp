#pragma once
// What libtoroid_capture.so has recorded of an MPI program (raw_capture.hpp), as a trace.

#include <memory>
#include <string>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads the files of all ranks in a folder, whose clock measured `computation`. Throws InputError when they are not
/// one complete run of one program, or the program has called what a trace cannot express.
std::unique_ptr<CompactTrace> read_capture(const std::string& folder, Computation computation);

}  // namespace toroid::workloads
