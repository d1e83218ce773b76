#pragma once
// What options have in common: numbers that are read strictly, and errors that say which option was wrong.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string_view>

#include "core/error.hpp"

namespace toroid::cli {

/// Whole numbers in decimal digits, from `low` to `high`. For `transform`, since CLI11 alone takes 010 for eight.
CLI::Validator whole(std::uint64_t low, std::uint64_t high);

CLI::Validator any_seed();

/// Finite numbers from `low` to `high`.
CLI::Validator real(double low, double high);

/// What `parse` returns. An InputError that it throws says `option` first.
template <class Parse>
auto of_option(std::string_view option, Parse parse) {
  try {
    return parse();
  } catch (const core::InputError& error) {
    core::fail_input("{}: {}", option, error.what());
  }
}

}  // namespace toroid::cli
