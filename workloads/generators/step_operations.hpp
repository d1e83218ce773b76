#pragma once
// What a rank does in a step of a generator, until the rank has done it. Steps may be long: in an iteration of LU each
// of thousands of ranks does thousands of operations, but hardly any different ones.

#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/operation.hpp"
#include "workloads/program_code.hpp"

namespace toroid::workloads {

/// Operations that are taken one after the other. Of many, each different one is kept once, with a string of their
/// numbers: one or two bytes each, where an operation has over a hundred.
class StepOperations {
 public:
  StepOperations() = default;
  StepOperations(const StepOperations&) = delete;
  StepOperations& operator=(const StepOperations&) = delete;

  /// Appends the operations of a step to an empty list. Their own lists must last until they are taken.
  using Generate = std::function<void(std::vector<Operation>& out)>;
  /// Forgets all operations, and has those of `generate`.
  void fill(const Generate& generate);

  std::uint64_t size() const { return size_; }
  /// Takes the next operation, of which there must be one.
  const Operation& next() {
    if (!is_packed_) return operations_[at_++];
    if (!reader_.at_computation()) return operations_[reader_.number()];
    computation_.amount = reader_.amount();
    return computation_;
  }
  std::size_t memory_bytes() const { return operations_.capacity() * sizeof(Operation) + code_.memory_bytes(); }

 private:
  void pack(const std::vector<Operation>& operations);

  std::vector<Operation> operations_;  ///< all of them; or the different ones that are no computations
  bool is_packed_ = false;
  std::uint64_t size_ = 0, at_ = 0;
  ProgramCode code_;
  ProgramCode::Reader reader_{code_};
  Operation computation_;  ///< the last one that was taken
};

}  // namespace toroid::workloads
