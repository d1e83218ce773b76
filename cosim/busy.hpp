#pragma once
// The nodes that others have on a machine, where a job gets its own.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alloc/allocator.hpp"
#include "core/registry.hpp"
#include "cosim/placed_jobs.hpp"

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
  /// Whether it says which programs run on these nodes.
  virtual bool has_programs() const { return false; }
  /// The jobs that hold these nodes, on nodes that are theirs, if it says what they run: over and over, until the jobs
  /// beside them are done. Throws InputError.
  virtual std::vector<JobDescription> neighbours(const Machine&, std::uint64_t /*seed*/) const { return {}; }
};
using MakeBusy = std::unique_ptr<Busy> (*)(const core::Arguments&);

/// The sources of taken nodes besides a list of nodes.
const core::Registry<MakeBusy>& busy_machines();

/// Makes a source of taken nodes from a list such as `0-15,20`, or from a spec such as `random:0.7` or
/// `schedule:jobs=log.swf,at=3600s`. Throws InputError.
std::unique_ptr<Busy> make_busy(const std::string& text);

}  // namespace toroid::cosim
