#include "workloads/generators/step_operations.hpp"

#include "workloads/known_operations.hpp"

namespace toroid::workloads {
namespace {

/// So many are kept as they are: packing takes about as long as generating, and so many take 128 kB at most.
constexpr std::size_t few = 1000;

/// Computations of different amounts are the same unless amounts count.
bool are_same(const Operation& a, const Operation& b, bool amounts_count) {
  const bool compute = a.kind == OpKind::compute && b.kind == OpKind::compute;
  return (compute && !amounts_count) || key_of(a) == key_of(b);
}

}  // namespace

void StepOperations::fill(const Generate& generate) {
  static thread_local std::vector<Operation> generated;  // of any rank: its memory serves the next one
  generated.clear();
  operations_.clear();
  size_ = at_ = 0;
  is_packed_ = false;
  generate(generated);
  if (generated.size() > few)
    pack(generated);
  else
    operations_ = generated;
  size_ = generated.size();
}

void StepOperations::pack(const std::vector<Operation>& operations) {
  static thread_local KnownOperations known;
  known.forget();
  code_.clear();
  for (const auto& operation : operations) {
    if (operation.kind == OpKind::compute)
      code_.add_computation(operation.amount);
    else
      code_.add_operation(known.number_of(operation).first);
  }
  operations_ = known.different();
  reader_ = ProgramCode::Reader(code_);
  is_packed_ = true;
}

void StepOperations::next(Operation& operation) {
  const auto at = at_++;
  if (!is_packed_)
    operation = operations_[at];
  else if (reader_.at_computation())
    operation = {.amount = reader_.amount()};
  else
    operation = operations_[reader_.number()];
}

ProgramCode::Reader StepOperations::reader_at(std::uint64_t at) const {
  ProgramCode::Reader reader(code_);
  for (; at > 0; --at) reader.pass();
  return reader;
}

void StepOperations::go_to(std::uint64_t at) {
  at_ = at;
  if (is_packed_) reader_ = reader_at(at);
}

bool StepOperations::begin_as(const std::vector<Operation>& others, std::uint64_t count, bool amounts_count) const {
  if (others.size() < count) return false;
  auto reader = reader_at(0);
  for (std::uint64_t at = 0; at < count; ++at) {
    const auto& other = others[at];
    const bool same = !is_packed_               ? are_same(operations_[at], other, amounts_count)
                      : reader.at_computation() ? are_same({.amount = reader.amount()}, other, amounts_count)
                                                : are_same(operations_[reader.number()], other, amounts_count);
    if (!same) return false;
  }
  return true;
}

}  // namespace toroid::workloads
