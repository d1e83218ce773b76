#pragma once
// The nodes of one job, on a machine where others run already.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/registry.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using platforms::Machine;
using platforms::NodeId;

/// The nodes that an allocator gives to a job of `nodes` nodes when the `busy` ones are taken. Throws InputError when
/// the allocator has no nodes for the job.
Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed);

/// A source of the nodes that are taken on a machine.
class Busy {
 public:
  virtual ~Busy() = default;
  virtual Allocation nodes(const Machine& machine, std::uint64_t seed) const = 0;
};
using MakeBusy = std::unique_ptr<Busy> (*)(const core::Arguments&);

/// The sources of taken nodes besides a list of nodes.
const core::Registry<MakeBusy>& busy_machines();

/// Makes a source of taken nodes from a list such as `0-15,20`, or from a spec such as `random:0.7` or
/// `schedule:jobs=log.swf,at=3600s`. Throws InputError.
std::unique_ptr<Busy> make_busy(const std::string& text);

}  // namespace toroid::cosim
