#pragma once
// What libtoroid_capture.so has recorded of an MPI program (raw_capture.hpp), as a trace.

#include <memory>
#include <string>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads the files of all ranks in a folder. Throws InputError when they are not one complete run of one program, or the
/// program has called what a trace cannot express.
std::unique_ptr<CompactTrace> read_capture(const std::string& folder);

/// Throws InputError if a rank has ended the program in this folder, as it has called what a trace cannot express.
void check_refusals(const std::string& folder);

}  // namespace toroid::workloads
