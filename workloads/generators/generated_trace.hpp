#pragma once
// Workloads that are computed on the fly: never in memory whole, whatever their length.

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// A program in steps: a generator only says what one rank does in one step.
class GeneratedTrace : public Trace {
 public:
  GeneratedTrace(std::string name, Rank ranks);

  /// Appends to `out` what `rank` does in step `step` (0, 1, ...); false when there is no such step.
  virtual bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const = 0;

  Rank ranks() const override { return static_cast<Rank>(world_.size()); }
  std::unique_ptr<OperationStream> open(Rank rank) const override;
  std::string locate(Rank rank, std::uint64_t index) const override;
  const std::vector<Rank>& members(CommId comm) const override;

 private:
  class Stream;
  std::string name_;
  std::vector<Rank> world_;
};

}  // namespace toroid::workloads
