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

  /// Appends the operations of a step to an empty list. Their own lists must last as long as these operations are kept,
  /// as they may be taken again. Such a function may not fill others meanwhile.
  using Generate = std::function<void(std::vector<Operation>& out)>;
  /// Forgets all operations, and has those of `generate`; none if that throws.
  void fill(const Generate& generate);

  std::uint64_t size() const { return size_; }
  /// How many were taken.
  std::uint64_t at() const { return at_; }
  /// Puts the next operation into `operation`; there must be one.
  void next(Operation& operation);
  /// Goes on, or back, to where so many were taken.
  void go_to(std::uint64_t at);

  /// Whether the first `count` of them are those of others.
  bool begin_as(const std::vector<Operation>& others, std::uint64_t count, bool amounts_count) const;

  std::size_t memory_bytes() const { return operations_.capacity() * sizeof(Operation) + code_.memory_bytes(); }

 private:
  void pack(const std::vector<Operation>& operations);
  ProgramCode::Reader reader_at(std::uint64_t at) const;

  std::vector<Operation> operations_;  ///< all; or, if packed, the different ones that are no computations
  bool is_packed_ = false;
  std::uint64_t size_ = 0, at_ = 0;
  ProgramCode code_;
  ProgramCode::Reader reader_{code_};
};

}  // namespace toroid::workloads
