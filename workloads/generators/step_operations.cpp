#include "workloads/generators/step_operations.hpp"

#include "core/flat_map.hpp"
#include "workloads/operation_key.hpp"

namespace toroid::workloads {
namespace {

constexpr std::size_t few = 64;  ///< not worth packing

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
  words_.clear();
  lists_.clear();
  generate(generated);
  size_ = generated.size();
  at_ = 0;
  is_packed_ = size_ > few;
  if (is_packed_)
    pack(generated);
  else
    for (const auto& operation : generated) append(operation);
}

void StepOperations::pack(const std::vector<Operation>& operations) {
  static thread_local Numbers numbers;
  code_.clear();
  for (const auto& operation : operations) {
    if (operation.kind == OpKind::compute)
      code_.add_computation(operation.amount);
    else
      code_.add_operation(numbers.of(operation));
  }
  for (const auto& operation : numbers.different()) append(operation);
  numbers.forget();
  reader_ = ProgramCode::Reader(code_);
}

void StepOperations::append(const Operation& o) {
  const bool has_lists = !(o.requests.empty() && o.after.empty() && o.after_begin.empty() && o.send_counts.empty() &&
                           o.recv_counts.empty());
  const auto lists = has_lists ? static_cast<std::uint32_t>(lists_.size()) : no_lists;
  if (has_lists) lists_.push_back({o.requests, o.after, o.after_begin, o.send_counts, o.recv_counts});
  words_.push_back({o.kind, o.mode, o.comm, o.to, o.from, o.root, o.tag, o.request, lists, o.bytes, o.amount});
}

void StepOperations::next(Operation& operation) {
  if (is_packed_ && reader_.at_computation()) {
    operation = {.amount = reader_.amount()};
    return;
  }
  const auto& word = words_[is_packed_ ? reader_.number() : at_++];
  operation = {.kind = word.kind,
               .mode = word.mode,
               .comm = word.comm,
               .to = word.to,
               .from = word.from,
               .root = word.root,
               .tag = word.tag,
               .request = word.request,
               .bytes = word.bytes,
               .amount = word.amount};
  if (word.lists == no_lists) return;
  const auto& lists = lists_[word.lists];
  operation.requests = lists.requests;
  operation.after = lists.after;
  operation.after_begin = lists.after_begin;
  operation.send_counts = lists.send_counts;
  operation.recv_counts = lists.recv_counts;
}

}  // namespace toroid::workloads
