#pragma once
// What options have in common: numbers that are read strictly.

#include <CLI/CLI.hpp>
#include <cstdint>

namespace toroid::cli {

/// Accepts whole numbers in decimal digits, from `low` to `high`. Use it with `transform`, as CLI11 alone takes 010 for
/// eight.
CLI::Validator whole(std::uint64_t low, std::uint64_t high);

CLI::Validator any_seed();

/// Accepts finite numbers from `low` to `high`.
CLI::Validator real(double low, double high);

}  // namespace toroid::cli
