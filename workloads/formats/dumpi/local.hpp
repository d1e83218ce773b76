#pragma once
// The calls in a DUMPI text that no other rank notices.

#include <string_view>

namespace toroid::workloads::dumpi {

/// Whether a call of this name, such as MPI_Comm_rank, is local.
bool is_local(std::string_view name);

}  // namespace toroid::workloads::dumpi
