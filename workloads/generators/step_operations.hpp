#pragma once
// What a rank does in a step of a generator, until the rank has done it. Steps may be long: in an iteration of LU each
// of thousands of ranks does thousands of operations, but hardly any different ones.

#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/operation.hpp"
#include "workloads/program_code.hpp"

namespace toroid::workloads {

/// Operations that are taken one after the other. Where there are many, each different one is kept once, with a string
/// of their numbers: one or two bytes each, and 3 to 9 for a computation.
class StepOperations {
 public:
  StepOperations() = default;
  StepOperations(const StepOperations&) = delete;
  StepOperations& operator=(const StepOperations&) = delete;

  /// Appends the operations of a step to an empty list. Their own lists must last until they are taken. Such a function
  /// may not fill others meanwhile.
  using Generate = std::function<void(std::vector<Operation>& out)>;
  /// Forgets all operations, and has those of `generate`; none if that throws.
  void fill(const Generate& generate);

  std::uint64_t size() const { return size_; }
  /// Puts the next operation into `operation`; there must be one.
  void next(Operation& operation);
  std::size_t memory_bytes() const { return operations_.capacity() * sizeof(Operation) + code_.memory_bytes(); }

 private:
  void pack(const std::vector<Operation>& operations);

  std::vector<Operation> operations_;  ///< all; or, if packed, the different ones that are no computations
  bool is_packed_ = false;
  std::uint64_t size_ = 0;
  std::size_t at_ = 0;  ///< of those that are not packed
  ProgramCode code_;
  ProgramCode::Reader reader_{code_};
};

}  // namespace toroid::workloads
