#include "workloads/generators/step_operations.hpp"

#include <utility>

#include "core/flat_map.hpp"
#include "workloads/operation_key.hpp"

namespace toroid::workloads {
namespace {

constexpr std::size_t few = 64;  ///< not worth packing

/// Finds the numbers of operations by the operations.
class Numbers {
 public:
  /// The number of an operation, which is appended to `different` if it is not there yet. It is asked for all
  /// operations in their order: mostly what came behind one comes behind it again.
  std::uint32_t of(const Operation& operation, std::vector<Operation>& different) {
    if (last_ < behind_.size()) {
      const auto guess = behind_[last_];
      if (guess < different.size() && key_of(different[guess]) == key_of(operation)) return last_ = guess;
    }
    const auto next = static_cast<std::uint32_t>(different.size());
    auto number = *by_hash_.try_emplace(hash_of(operation), next).first;
    if (number == next || key_of(different[number]) != key_of(operation)) {  // new, or by chance of one hash with it
      number = next;
      different.push_back(operation);
    }
    if (last_ != none) {
      behind_.resize(different.size(), none);
      behind_[last_] = number;
    }
    return last_ = number;
  }
  void forget(const std::vector<Operation>& different) {
    for (const auto& operation : different) by_hash_.erase(hash_of(operation));
    behind_.clear();
    last_ = none;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Same {
    std::uint64_t operator()(std::uint64_t hash) const { return hash; }
  };
  core::FlatMap<std::uint64_t, std::uint32_t, Same> by_hash_;
  std::vector<std::uint32_t> behind_;  ///< by number: what came behind it last
  std::uint32_t last_ = none;
};

}  // namespace

void StepOperations::fill(const Generate& generate) {
  static thread_local std::vector<Operation> generated;  // of any rank: its memory serves the next one
  generated.clear();
  generate(generated);
  size_ = generated.size();
  at_ = 0;
  is_packed_ = size_ > few;
  if (is_packed_)
    pack(generated);
  else
    operations_ = generated;
}

void StepOperations::pack(const std::vector<Operation>& operations) {
  static thread_local Numbers numbers;
  operations_.clear();
  code_.clear();
  for (const auto& operation : operations) {
    if (operation.kind == OpKind::compute)
      code_.add_computation(operation.amount);
    else
      code_.add_operation(numbers.of(operation, operations_));
  }
  numbers.forget(operations_);
  reader_ = ProgramCode::Reader(code_);
}

}  // namespace toroid::workloads
