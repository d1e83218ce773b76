#pragma once
// One operation in our own form: its kind, and KEY=VALUE for every field that is not at its default.

#include "workloads/operation_kinds.hpp"

namespace toroid::workloads {

/// The version in which files are written; earlier ones are read, too. Version 2 added puts and fences, version 3
/// blocks of code.
inline constexpr std::int32_t own_version = 4;
/// The most bytes that each of the three strings of a block has.
inline constexpr std::int32_t own_block_size = 1 << 20;

std::string own_text(const Operation& operation);

/// The operation that the words of a line spell, or what is wrong with them: `found ..., expected ...`.
struct ParsedOperation {
  HeldOperation value;
  std::string error;  ///< empty if all is well
};
ParsedOperation parse_own(const std::vector<std::string_view>& words);

}  // namespace toroid::workloads
