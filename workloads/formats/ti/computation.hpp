#pragma once
// The lines that traces have most of, `RANK compute AMOUNT`, without cutting them into fields.

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "core/text.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads::ti {

struct Computation {
  Rank rank;
  double amount;
};

/// The amount that the text spells, exactly as core::parse_number finds it; NaN if it is none.
inline double plain_amount(std::string_view text) {
  constexpr std::size_t exact_digits = 15;  // any such number is a double
  if (text.size() <= exact_digits && !text.empty()) {
    std::int64_t whole = 0;
    std::size_t i = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) whole = 10 * whole + (text[i] - '0');
    if (i == text.size()) return static_cast<double>(whole);
  }
  const auto amount = core::parse_number<double>(text);
  return amount && std::isfinite(*amount) && *amount >= 0 ? *amount : std::numeric_limits<double>::quiet_NaN();
}

/// The computation on a line that is spelled as tracers do, with single blanks and nothing else. Returns nothing for
/// any other line: the parser of the whole grammar (ti_line.hpp) reads these, and says what is wrong with them.
inline std::optional<Computation> plain_computation(std::string_view line) {
  constexpr std::string_view action = " compute ";
  constexpr std::size_t most_digits = 7;  // below the highest rank there may be
  std::int32_t rank = 0;
  std::size_t i = 0;
  for (; i < line.size() && i < most_digits && line[i] >= '0' && line[i] <= '9'; ++i)
    rank = 10 * rank + (line[i] - '0');
  if (i == 0 || line.size() < i + action.size()) return std::nullopt;
  if (std::memcmp(line.data() + i, action.data(), action.size()) != 0) return std::nullopt;
  const double amount = plain_amount(line.substr(i + action.size()));
  if (std::isnan(amount)) return std::nullopt;
  return Computation{Rank(rank), amount};
}

}  // namespace toroid::workloads::ti
