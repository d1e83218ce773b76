#include "cli/option.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::cli {
namespace {

template <class Number>
CLI::Validator number(Number low, Number high, const char* what) {
  const auto check = [=](std::string& text) -> std::string {
    const auto value = core::parse_number<Number>(text);
    if (!value || !(*value >= low && *value <= high))
      return fmt::format("found '{}', expected {} from {} to {}", core::excerpt(text), what, low, high);
    text = fmt::format("{}", *value);
    return {};
  };
  return {check, fmt::format("{} to {}", low, high)};
}

}  // namespace

CLI::Validator whole(std::uint64_t low, std::uint64_t high) {
  return number(low, high, "a whole number");
}

CLI::Validator any_seed() {
  return whole(0, std::numeric_limits<std::uint64_t>::max());
}

CLI::Validator real(double low, double high) {
  return number(low, high, "a number");
}

std::string taken_by_an_option(const CLI::App& command) {
  std::vector<std::string> missing;
  for (const auto* option : command.get_options())
    if (option->get_positional() && option->get_required() && option->count() == 0)
      missing.push_back(option->get_name());
  if (missing.empty()) return {};
  for (const auto* option : command.get_options()) {
    if (option->get_positional() || !option->get_allow_extra_args() || option->count() < 2) continue;
    return fmt::format("{} takes all words up to the next option, here {}; write {} before {}", option->get_name(),
                       core::excerpt(core::join(option->results())), core::join(missing, " and "), option->get_name());
  }
  return {};
}

std::string default_text(const std::vector<std::string>& values) {
  return CLI::detail::to_string(values);
}

}  // namespace toroid::cli
