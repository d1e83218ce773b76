#pragma once
// What libtoroid_capture.so has recorded of an MPI program (raw_capture.hpp), as a trace.

#include <memory>
#include <string>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Of the folder with the files of all ranks. Throws InputError where they are no whole run of one program, or where it
/// has called what a trace cannot say.
std::unique_ptr<CompactTrace> read_capture(const std::string& folder);

}  // namespace toroid::workloads
