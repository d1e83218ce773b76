#pragma once
// What ranks hand in to the collectives of a trace, whichever algorithms carry it.

#include <array>
#include <cstdint>

#include "workloads/collectives/collectives.hpp"
#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The bytes that a rank hands in to a collective: the message (bcast, at the root alone), the vector (reduce,
/// allreduce, scan), its block (gather, allgather), or the blocks for all members (alltoall, reduce_scatter; scatter,
/// at the root alone).
std::uint64_t handed_in(const CollectiveCall& call);

/// The sums over all ranks and collectives, by OpKind. Throws InputError where one is 2^64 or more, or where a rank is
/// in a collective of a communicator that it is no member of.
std::array<std::uint64_t, op_kind_count> collective_bytes(const Trace& trace);

}  // namespace toroid::workloads
