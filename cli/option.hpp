#pragma once
// What options have in common: numbers that are read strictly, choices, labels (`LABEL := NAME` gives what is compared
// another name in tables and pictures), and the paths of inputs.

#include <CLI/CLI.hpp>

#include "core/error.hpp"
#include "core/registry.hpp"

namespace toroid::cli {

/// Takes labels off the names, and returns one for each: what has none is called by its short name. A file that is
/// called `LABEL := NAME` is a name. `change` makes of each name what stands in its place. Throws InputError if a label
/// comes twice, and where a label or a name is missing.
std::vector<std::string> take_labels(std::vector<std::string>& names,
                                     const std::function<std::string(const std::string&)>& change = nullptr);

/// Accepts whole numbers in decimal digits, from `low` to `high`. Use it with `transform`, as CLI11 alone takes 010 for
/// eight.
CLI::Validator whole(std::uint64_t low, std::uint64_t high);

CLI::Validator any_seed();

/// Accepts finite numbers from `low` to `high`.
CLI::Validator real(double low, double high);

// Options in a few words. Each shows its default, but for those that may be given several times.

/// Adds an option with one value; any text or number will do.
template <class Value>
CLI::Option* add_value(CLI::App& command, const std::string& name, Value& value, const std::string& help) {
  return command.add_option(name, value, help)->capture_default_str();
}
/// Adds a whole number from `low` to `high`.
template <class Number>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Number& number, std::uint64_t low,
                       std::uint64_t high, const std::string& help) {
  return add_value(command, name, number, help)->transform(whole(low, high));
}
/// Adds one of a few words.
inline CLI::Option* add_word(CLI::App& command, const std::string& name, std::string& word,
                             const std::vector<std::string>& words, const std::string& help) {
  return add_value(command, name, word, help)->check(CLI::IsMember(words));
}
/// Adds an option that may be given several times, with one value each: what follows may be an argument.
inline CLI::Option* add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                                 const std::string& help) {
  return command.add_option(name, values, help)->allow_extra_args(false);
}
inline CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed) {
  return add_value(command, "--seed", seed, "seed of everything random")->transform(any_seed());
}

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

/// Adds an option or an argument for the path of an input, or for those of several.
template <class Paths>
CLI::Option* add_input(CLI::App& command, const std::string& name, Paths& paths, const std::string& help) {
  return command.add_option(name, paths, help)->type_name("FILE");
}

}  // namespace toroid::cli
