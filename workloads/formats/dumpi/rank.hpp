#pragma once
// The operations of one rank in a DUMPI trace.

#include "workloads/formats/dumpi/call.hpp"
#include "workloads/formats/dumpi/comms.hpp"

namespace toroid::workloads::dumpi {

/// Adds the operations of one of `ranks` ranks to the trace. Their communicators are the rank's local ones, as
/// CommId(LocalComm). Returns how the rank made these.
std::vector<CommMade> read_rank(CompactTrace& trace, Rank rank, std::int32_t ranks, const std::string& path);

}  // namespace toroid::workloads::dumpi
