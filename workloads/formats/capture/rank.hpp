#pragma once
// The operations of one rank of a captured program.

#include "workloads/formats/capture/comms.hpp"
#include "workloads/formats/capture/file.hpp"

namespace toroid::workloads::raw {

/// Adds the operations in the file of a rank to the trace.
void read_rank(CompactTrace& trace, Comms& comms, File& file);

}  // namespace toroid::workloads::raw
