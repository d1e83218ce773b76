#pragma once
// The nodes that others have on a machine, where a job gets its own.

#include <cstdint>
#include <memory>
#include <string>

#include "alloc/allocator.hpp"
#include "core/registry.hpp"

namespace toroid::cosim {

using alloc::Allocation;
using platforms::Machine;

/// A source of the nodes that are taken on a machine.
class Busy {
 public:
  virtual ~Busy() = default;
  virtual Allocation nodes(const Machine& machine, std::uint64_t seed) const = 0;
  /// Whether the seed may decide which nodes these are.
  virtual bool uses_seed(const Machine&) const { return false; }
};
using MakeBusy = std::unique_ptr<Busy> (*)(const core::Arguments&);

/// The sources of taken nodes besides a list of nodes.
const core::Registry<MakeBusy>& busy_machines();

/// Makes a source of taken nodes from a list such as `0-15,20`, or from a spec such as `random:0.7` or
/// `schedule:jobs=log.swf,at=3600s`. Throws InputError.
std::unique_ptr<Busy> make_busy(const std::string& text);

}  // namespace toroid::cosim
