#pragma once
// What writers of programs have in common.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Whether the fields of an operation say all of it: the address of a list does not say what is in it.
inline bool has_no_lists(const Operation& op) {
  return op.requests.empty() && op.after.empty() && op.after_begin.empty() && op.send_counts.empty() &&
         op.recv_counts.empty();
}

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
