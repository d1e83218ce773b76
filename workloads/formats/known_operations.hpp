#pragma once
// What writers know of operations that they have met before: programs repeat themselves, and to spell an operation out
// takes long.

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/flat_map.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Gives each different operation a number, from 0 in the order in which they come. It takes only operations without
/// lists, as the address of a list does not say what is in it.
class KnownOperations {
 public:
  static bool takes(const Operation& op) {
    return op.requests.empty() && op.after.empty() && op.after_begin.empty() && op.send_counts.empty() &&
           op.recv_counts.empty();
  }

  /// The number of the operation, and whether it is new.
  std::pair<std::uint32_t, bool> number_of(const Operation& op) {
    const auto next = static_cast<std::uint32_t>(numbers_.size());
    const auto [number, is_new] = numbers_.try_emplace(Key{op}, next);
    return {*number, is_new};
  }

 private:
  struct Key {
    Operation operation = {};
    bool operator==(const Key& other) const {
      const auto &a = operation, &b = other.operation;
      return a.kind == b.kind && a.mode == b.mode && a.comm == b.comm && a.to == b.to && a.from == b.from &&
             a.root == b.root && a.tag == b.tag && a.request == b.request && a.bytes == b.bytes && a.amount == b.amount;
    }
  };
  struct Hash {
    std::uint64_t operator()(const Key& key) const {
      const auto& o = key.operation;
      std::uint64_t hash = o.bytes ^ std::bit_cast<std::uint64_t>(o.amount);
      for (const std::int64_t field :
           {std::int64_t{o.comm.value()}, std::int64_t{o.to}, std::int64_t{o.from}, std::int64_t{o.tag},
            std::int64_t{o.request},
            std::int64_t{o.root} << 16 | static_cast<std::int64_t>(o.kind) << 8 | static_cast<std::int64_t>(o.mode)})
        hash = (hash ^ static_cast<std::uint64_t>(field)) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29U;
      return hash;
    }
  };

  core::FlatMap<Key, std::uint32_t, Hash> numbers_;
};

/// Appends an amount in the fewest digits that read back to the same number. Most amounts are whole and are written
/// faster.
inline void append_amount(std::string& text, double amount) {
  constexpr double whole_below = 1e15;
  if (amount >= 0 && amount < whole_below && !std::signbit(amount) && amount == std::floor(amount)) {
    const fmt::format_int digits(static_cast<std::uint64_t>(amount));
    text.append(digits.data(), digits.size());
  } else {
    text += fmt::format("{}", amount);
  }
}

}  // namespace toroid::workloads
