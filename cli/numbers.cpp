#include "cli/numbers.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace toroid::cli {
namespace {

template <class Number>
CLI::Validator number(const char* kind, Number low, Number high) {
  // What the parser is given is the number's plain spelling: by itself it takes 010 for eight.
  return CLI::Validator(
      [=](std::string& text) {
        const auto value = core::parse_number<Number>(text);
        if (!value || !(*value >= low && *value <= high))  // neither holds for nan
          return fmt::format("found '{}', expected a {} from {} to {}", core::excerpt(text), kind, low, high);
        text = fmt::format("{}", *value);
        return std::string();
      },
      "");
}

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return number("whole number", low, high);
}

CLI::Validator real_number(double low, double high) {
  return number("number", low, high);
}

}  // namespace toroid::cli
