#pragma once
// Numbers for operations, for those who keep equal ones once: programs repeat themselves.

#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/flat_map.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Equal for operations that are the same. Lists are told apart by where they are, and how long.
inline auto key_of(const Operation& o) {
  const auto place = [](const auto& list) { return std::bit_cast<std::uintptr_t>(list.data()); };
  return std::tuple(o.kind, o.mode, o.comm.value(), o.to, o.from, o.root, o.tag, o.request, o.bytes,
                    std::bit_cast<std::uint64_t>(o.amount), place(o.requests), o.requests.size(), place(o.after),
                    o.after.size(), place(o.after_begin), o.after_begin.size(), place(o.send_counts),
                    o.send_counts.size(), place(o.recv_counts), o.recv_counts.size());
}

/// Operations with the same key have the same hash.
inline std::size_t hash_of(const Operation& o) {
  const auto pair = [](auto high, auto low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
  };
  const auto list = [](const auto& l) { return std::bit_cast<std::uintptr_t>(l.data()) + l.size(); };
  const std::uint64_t lists = list(o.requests) + 3 * list(o.after) + 5 * list(o.after_begin) + 7 * list(o.send_counts) +
                              9 * list(o.recv_counts);
  std::uint64_t h = 0;
  for (const std::uint64_t word : {pair(o.kind, o.mode), pair(o.comm.value(), o.request), pair(o.to, o.from),
                                   pair(o.root, o.tag), o.bytes, std::bit_cast<std::uint64_t>(o.amount), lists}) {
    h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 29U;
  }
  return h;
}

/// Gives each different operation a number, from 0 in the order in which they come. Mostly what came behind one comes
/// behind it again, which is tried before all others are.
class KnownOperations {
 public:
  /// The number of the operation, and whether it is new. Lists must stay where they are as long as others come. By
  /// chance of one hash an operation may be new each time.
  std::pair<std::uint32_t, bool> number_of(const Operation& op) {
    if (last_ < behind_.size() && is_number(behind_[last_], op)) return {last_ = behind_[last_], false};
    const auto next = static_cast<std::uint32_t>(different_.size());
    auto number = *by_hash_.try_emplace(hash_of(op), next).first;
    const bool is_new = !is_number(number, op);
    if (is_new) {
      number = next;
      different_.push_back(op);
    }
    if (last_ != none) {
      behind_.resize(different_.size(), none);
      behind_[last_] = number;
    }
    return {last_ = number, is_new};
  }
  /// The operations by their numbers.
  const std::vector<Operation>& different() const { return different_; }
  void forget() {
    for (const auto& op : different_) by_hash_.erase(hash_of(op));
    different_.clear();
    behind_.clear();
    last_ = none;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Same {
    std::uint64_t operator()(std::uint64_t hash) const { return hash; }
  };
  bool is_number(std::uint32_t number, const Operation& op) const {
    return number < different_.size() && key_of(different_[number]) == key_of(op);
  }

  std::vector<Operation> different_;
  core::FlatMap<std::uint64_t, std::uint32_t, Same> by_hash_;
  std::vector<std::uint32_t> behind_;  ///< by number: what came behind it last
  std::uint32_t last_ = none;
};

}  // namespace toroid::workloads
