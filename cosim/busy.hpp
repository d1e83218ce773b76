#pragma once
// The nodes that others have on a machine, where a job gets its own.

#include <concepts>
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

/// A source of taken nodes as a user chose it, as core::Choice is a thing of a registry: a list such as `0-15,20`, or a
/// spec such as `random:0.7` or `schedule:jobs=log.swf,at=3600s`.
class BusyChoice {
 public:
  /// Implicit: a text may stand for a choice. Throws InputError on a spec that is wrong; nodes that a list names are
  /// looked for when the machine is known.
  template <class Text>
  requires std::convertible_to<const Text&, std::string> BusyChoice(const Text& text)
      : text_(text), source_(source(text_)) {}

  /// The text as it was given.
  const std::string& text() const { return text_; }
  const Busy* operator->() const { return source_.get(); }

 private:
  static std::shared_ptr<const Busy> source(const std::string& text);

  std::string text_;
  std::shared_ptr<const Busy> source_;
};

}  // namespace toroid::cosim
