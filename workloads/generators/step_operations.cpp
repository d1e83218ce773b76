#include "workloads/generators/step_operations.hpp"

#include "workloads/known_operations.hpp"

namespace toroid::workloads {
namespace {

/// So many are kept as they are: packing takes about as long as generating, and so many take 128 kB at most.
constexpr std::size_t few = 1000;

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
  if (!is_packed_)
    operation = operations_[at_++];
  else if (reader_.at_computation())
    operation = {.amount = reader_.amount()};
  else
    operation = operations_[reader_.number()];
}

}  // namespace toroid::workloads
