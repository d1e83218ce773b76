#pragma once
// What options have in common: numbers that are read strictly.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/labels.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"

namespace toroid::cli {

/// Accepts whole numbers in decimal digits, from `low` to `high`. Use it with `transform`, as CLI11 alone takes 010 for
/// eight.
CLI::Validator whole(std::uint64_t low, std::uint64_t high);

CLI::Validator any_seed();

/// Accepts finite numbers from `low` to `high`.
CLI::Validator real(double low, double high);

/// Default values as help shows them: `[a,b]`, or the only one.
std::string default_text(const std::vector<std::string>& values);

/// Adds an option whose value is a choice (core/registry.hpp), or another thing that a text stands for, which is judged
/// as the command line is read.
template <class AChoice>
CLI::Option* add_choice(CLI::App& command, const std::string& name, AChoice& choice, const std::string& help) {
  const auto set = [&choice](const std::string& text) { choice = AChoice(text); };
  return command.add_option_function<std::string>(name, set, help)->default_str(choice.text());
}
template <class AChoice>
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::optional<AChoice>& choice,
                        const std::string& help) {
  const auto set = [&choice](const std::string& text) { choice = AChoice(text); };
  return command.add_option_function<std::string>(name, set, help);
}

/// Which option took the words that were meant for required arguments of the command, such as PLATFORM, as an option
/// with any number of values takes all words up to the next option. Empty if there is none.
std::string taken_by_an_option(const CLI::App& command);

/// Adds an option with any number of choices, which replace the default ones. With `labels` each may have a label,
/// `LABEL := CHOICE`, and `labels` then has what each is called (labels.hpp).
template <class AChoice>
CLI::Option* add_choices(CLI::App& command, const std::string& name, std::vector<AChoice>& choices,
                         const std::string& help, std::vector<std::string>* labels = nullptr) {
  const auto set = [&choices, &command, labels](std::vector<std::string> texts) {
    try {
      if (labels != nullptr) *labels = take_labels(texts);
      choices = core::choices_of<AChoice>(texts);
    } catch (const core::InputError&) {
      if (const auto why = taken_by_an_option(command); !why.empty()) throw core::InputError(why);
      throw;
    }
  };
  return command.add_option_function<std::vector<std::string>>(name, set, help)
      ->default_str(default_text(core::texts_of(choices)));
}

}  // namespace toroid::cli
