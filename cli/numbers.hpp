#pragma once
// Options that are numbers: spelled as in specs, to the last character, and within their range.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace toroid::cli {

/// For CLI::Option::transform. Decimal digits only.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high = std::numeric_limits<std::uint64_t>::max());
CLI::Validator real_number(double low, double high);

}  // namespace toroid::cli
