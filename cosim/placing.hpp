#pragma once
// The nodes of one job, on a machine where others run already.

#include <cstdint>
#include <span>

#include "alloc/allocator.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using platforms::Machine;
using platforms::NodeId;

/// The nodes that an allocator gives to a job of `nodes` nodes when the `busy` ones are taken. Throws InputError when
/// the allocator has no nodes for the job.
Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed);

/// Whether the seed may decide which nodes the allocator gives on this machine.
bool uses_seed(const Machine& machine, const alloc::AllocatorChoice& allocator);

}  // namespace toroid::cosim
