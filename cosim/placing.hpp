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

/// What an allocator says of itself on a machine.
struct AllocatorTraits {
  bool uses_seed;  ///< whether the seed may decide which nodes it gives
  bool is_local;   ///< whether it answers at once, from the nodes that are free
};
AllocatorTraits traits_of(const alloc::AllocatorChoice& allocator, const Machine& machine);

}  // namespace toroid::cosim
