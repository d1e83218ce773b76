#include "workloads/generators/step_operations.hpp"

#include "core/flat_map.hpp"
#include "workloads/operation_key.hpp"

namespace toroid::workloads {
namespace {

/// So many are kept as they are: packing takes about as long as generating, and so many take 128 kB at most.
constexpr std::size_t few = 1000;

/// Gives numbers to operations, which are asked for in their order: mostly what came behind one comes behind it again.
class Numbers {
 public:
  std::uint32_t of(const Operation& operation) {
    if (last_ < behind_.size() && is_number(behind_[last_], operation)) return last_ = behind_[last_];
    const auto next = static_cast<std::uint32_t>(different_.size());
    auto number = *by_hash_.try_emplace(hash_of(operation), next).first;
    if (!is_number(number, operation)) {  // it is new, or by chance of one hash with another one
      number = next;
      different_.push_back(operation);
    }
    if (last_ != none) {
      behind_.resize(different_.size(), none);
      behind_[last_] = number;
    }
    return last_ = number;
  }
  /// The operations by their numbers.
  const std::vector<Operation>& different() const { return different_; }
  void forget() {
    for (const auto& operation : different_) by_hash_.erase(hash_of(operation));
    different_.clear();
    behind_.clear();
    last_ = none;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Same {
    std::uint64_t operator()(std::uint64_t hash) const { return hash; }
  };
  bool is_number(std::uint32_t number, const Operation& operation) const {
    return number < different_.size() && key_of(different_[number]) == key_of(operation);
  }

  std::vector<Operation> different_;
  core::FlatMap<std::uint64_t, std::uint32_t, Same> by_hash_;
  std::vector<std::uint32_t> behind_;  ///< by number: what came behind it last
  std::uint32_t last_ = none;
};

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
  static thread_local Numbers numbers;
  numbers.forget();
  code_.clear();
  for (const auto& operation : operations) {
    if (operation.kind == OpKind::compute)
      code_.add_computation(operation.amount);
    else
      code_.add_operation(numbers.of(operation));
  }
  operations_ = numbers.different();
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
