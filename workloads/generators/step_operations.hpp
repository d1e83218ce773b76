#pragma once
// What a rank does in a step of a generator, until the rank has done it. Steps may be long: in an iteration of LU each
// of thousands of ranks does thousands of operations, but hardly any different ones.

#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/operation.hpp"
#include "workloads/program_code.hpp"

namespace toroid::workloads {

/// Operations that are taken one after the other, in less than half of the memory that they have outside. Of
/// many, each different one is kept once, with a string of their numbers: one or two bytes each.
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
  /// Puts the next operation into `operation`; there must be one.
  void next(Operation& operation);
  std::size_t memory_bytes() const {
    return words_.capacity() * sizeof(Word) + lists_.capacity() * sizeof(Lists) + code_.memory_bytes();
  }

 private:
  /// An operation without its lists, which few have.
  struct Word {
    OpKind kind;
    SendMode mode;
    CommId comm;
    CommRank to, from, root;
    std::int32_t tag;
    RequestHandle request;
    std::uint32_t lists;  ///< their place; no_lists: there are none
    std::uint64_t bytes;
    double amount;
  };
  struct Lists {
    std::span<const RequestHandle> requests;
    std::span<const std::uint64_t> after, after_begin, send_counts, recv_counts;
  };
  static constexpr std::uint32_t no_lists = ~std::uint32_t{0};

  void pack(const std::vector<Operation>& operations);
  void append(const Operation& operation);

  std::vector<Word> words_;  ///< all operations; or, if packed, the different ones that are no computations
  std::vector<Lists> lists_;
  bool is_packed_ = false;
  std::uint64_t size_ = 0, at_ = 0;
  ProgramCode code_;
  ProgramCode::Reader reader_{code_};
};

}  // namespace toroid::workloads
