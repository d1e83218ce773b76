#include "cli/option.hpp"

#include <CLI/CLI.hpp>
#include <cctype>

#include "core/file.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace.hpp"
#include "views/charts/labels.hpp"

namespace toroid::cli {

namespace {

// What values may be

template <class Number>
Type number(Number low, Number high, const char* what) {
  TOROID_ASSERT(low <= high);
  const auto check = [=](std::string& text) -> std::string {
    const auto value = core::parse_number<Number>(text);
    if (!value || !(*value >= low && *value <= high))
      return fmt::format("found '{}', expected {} from {} to {}", core::excerpt(text), what, low, high);
    text = fmt::format("{}", *value);
    return {};
  };
  const auto range = fmt::format("{} to {}", low, high);
  return {.judge = [=](CLI::Option& option) { option.transform(CLI::Validator(check, range)); },
          .range = {{static_cast<double>(low), static_cast<double>(high)}}};
}

std::function<void(CLI::Option&)> refuse_nothing(const std::string& expected) {
  return [refusal = "found nothing, expected " + expected](CLI::Option& option) {
    option.check([=](const std::string& given) { return given.empty() ? refusal : std::string(); });
  };
}

}  // namespace

Type whole(std::uint64_t low, std::uint64_t high) {
  return number(low, high, "a whole number");
}

Type any_seed() {
  return whole(0, std::numeric_limits<std::uint64_t>::max());
}

Type real(double low, double high) {
  return number(low, high, "a number");
}

Type one_of(Names words) {
  TOROID_ASSERT(!words.empty());
  return {.judge = [words](CLI::Option& option) { option.check(CLI::IsMember(words)); },
          .words = [words] { return words; },
          .are_all = true};
}

Type like(Names words) {
  return {.words = [words = std::move(words)] { return words; }};
}

Type machine_name() {
  return {.words = [] {
    auto names = platforms::preset_names();
    for (const auto& kind : platforms::inline_platforms()) names.emplace_back(kind.name);
    return names;
  }};
}

Type trace_name() {
  return entry_of(workloads::generators());
}

Type input_file() {
  return {.called = "FILE"};
}

Type node_list() {
  return {.judge = refuse_nothing("nodes such as 0-15")};
}

Type output_file() {
  return {.called = "FILE", .judge = refuse_nothing("a file"), .is_output = true};
}

Type output_folder() {
  return {.called = "FOLDER", .judge = refuse_nothing("a file"), .is_output = true};
}

// Tables

namespace {

/// Whether the option is known by its place.
bool is_argument(const Option& option) {
  return !option.name.starts_with('-');
}

/// Whether a name may be one of what is told in JSON: `TOO_LARGE` is none.
bool is_key(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c == '_' || (std::islower(static_cast<unsigned char>(c)) != 0);
  });
}

/// The names of an option: `-o` and `--output` of `-o,--output`.
Names own_names(const Option& option) {
  Names names;
  for (const auto name : core::split(std::string_view(option.name).substr(0, option.name.find('{')), ','))
    names.emplace_back(name);
  return names;
}

void check_line(const Option& option) {
  TOROID_ASSERT(!option.help.empty());
  TOROID_ASSERT(is_argument(option) || option.name.find("--") != std::string::npos);
  TOROID_ASSERT(!option.is_setting || is_key(option.key));
  TOROID_ASSERT(!option.is_setting || (option.is_recorded && !option.type.is_output));
  TOROID_ASSERT(!option.type.are_all || option.type.words);
  TOROID_ASSERT(!option.type.range || option.type.range->first <= option.type.range->second);
  TOROID_ASSERT(!option.count || *option.count > 0);
  TOROID_ASSERT(!(option.is_repeated && option.is_required));
}

}  // namespace

std::string Option::usual_key(const std::string& name) {
  const auto last = name.find_last_of(',');
  auto text = name.substr(last == std::string::npos ? 0 : last + 1);
  text.erase(0, text.find_first_not_of('-'));
  if (text.starts_with("no-")) text.erase(0, 3);
  for (auto& c : text) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Options::Options(std::initializer_list<Line> lines) {
  std::string group = "Options";
  all_.reserve(2 * lines.size());
  for (const auto& line : lines) {
    if (!line.group.empty()) group = line.group;
    for (auto& option : line.options) {
      if (option.group.empty()) option.group = group;
      check_line(option);
      all_.push_back(std::move(option));
    }
  }
}

Options Options::only_if(bool are_in_force, const std::string& lacking) && {
  for (auto& option : all_) {
    option.is_in_force = option.is_in_force && are_in_force;
    if (!are_in_force) option.lacking = lacking;
  }
  return std::move(*this);
}

// Settings

core::Json Option::json() const {
  return std::visit(
      [&]<class V>(const V& set) -> core::Json {
        if constexpr (std::is_same_v<V, Meant>) {
          const auto texts = set.texts();
          if (set.are_many) return texts;
          return texts.empty() ? if_empty : core::Json(texts.front());
        } else if constexpr (requires { set->has_value(); }) {
          return *set ? core::Json(**set) : if_empty;
        } else if constexpr (std::is_same_v<V, std::string*>) {
          return set->empty() ? if_empty : core::Json(*set);
        } else {
          return *set;
        }
      },
      value);
}

void record(core::Json& manifest, const Options& options) {
  for (const auto& option : options) {
    if (!option.is_setting || !option.is_in_force || manifest.contains(option.key)) continue;
    if (auto value = option.json(); !value.is_discarded()) manifest[option.key] = std::move(value);
  }
}

void refuse_idle(const Options& options, const core::Json& given) {
  for (const auto& option : options)
    if (!option.lacking.empty() && given.contains(own_names(option).back()))
      core::fail_input("{}: expected {}", own_names(option).back(), option.lacking);
}

// The parser

namespace {

/// What the parser does not keep of an option.
struct Besides {
  std::function<Names()> words;
  bool is_common = false;
};

/// What is kept for each option of a parser, as long as the process lives: parsers ask for words by their own options.
std::map<const CLI::Option*, Besides>& besides() {
  static std::map<const CLI::Option*, Besides> all;
  return all;
}

/// What of a default value --help shows: not what only says that nothing is given, such as a 0 where 1 is the least.
bool shows_default(const Option& option) {
  if (option.is_required) return false;
  return std::visit(
      [&]<class V>(const V& set) {
        if constexpr (requires { set->empty(); })
          return !set->empty();
        else if constexpr (std::is_same_v<V, bool*> || std::is_same_v<V, Meant> || requires { set->has_value(); })
          return false;
        else
          return !option.type.range || (static_cast<double>(*set) >= option.type.range->first &&
                                        static_cast<double>(*set) <= option.type.range->second);
      },
      option.value);
}

CLI::Option* add_flag(CLI::App& command, const Option& option, bool* set) {
  if (*set)
    return command.add_flag_callback(
        option.name, [set] { *set = false; }, option.help);
  return command.add_flag(option.name, *set, option.help);
}

CLI::Option* add_meant(CLI::App& command, const Option& option, const Meant& meant) {
  const auto set_one = [set = meant.set](const std::string& text) { set({text}); };
  if (option.name.ends_with('}')) return command.add_flag(option.name)->description(option.help)->each(set_one);
  const auto texts = meant.texts();
  if (!meant.are_many)
    return command.add_option_function<std::string>(option.name, set_one, option.help)
        ->default_str(texts.empty() ? "" : texts.front());
  const auto set_all = [set = meant.set, &command](const Names& given) {
    try {
      set(given);
    } catch (const core::InputError&) {
      if (const auto why = taken_by_an_option(command); !why.empty()) throw core::InputError(why);
      throw;
    }
  };
  return command.add_option_function<Names>(option.name, set_all, option.help)
      ->default_str(CLI::detail::to_string(texts));
}

CLI::Option* add_value(CLI::App& command, const Option& option) {
  return std::visit(
      [&]<class V>(const V& set) {
        if constexpr (std::is_same_v<V, bool*>)
          return add_flag(command, option, set);
        else if constexpr (std::is_same_v<V, Meant>)
          return add_meant(command, option, set);
        else
          return command.add_option(option.name, *set, option.help);
      },
      option.value);
}

void add_option(CLI::App& command, const Option& option) {
  for (const auto& name : own_names(option)) TOROID_ASSERT(command.get_option_no_throw(name) == nullptr);
  auto& added = *add_value(command, option);
  if (shows_default(option)) added.capture_default_str();
  if (option.type.judge) option.type.judge(added);
  if (!option.type.called.empty()) added.type_name(option.type.called);
  if (option.count) added.expected(static_cast<int>(*option.count));
  if (option.separator != 0) added.delimiter(option.separator);
  if (option.is_repeated) added.allow_extra_args(false);
  added.required(option.is_required)->configurable(option.is_recorded && !option.type.is_output)->group(option.group);
  for (const auto& other : option.needs) added.needs(command.get_option(other));
  for (const auto& other : option.excludes) added.excludes(command.get_option(other));
  besides()[&added] = {option.type.words, option.is_common};
}

}  // namespace

void add_options(CLI::App& command, const Options& options) {
  for (const auto& option : options) add_option(command, option);
}

Names words_of(const CLI::Option& option) {
  const auto found = besides().find(&option);
  return found == besides().end() || !found->second.words ? Names() : found->second.words();
}

bool is_common(const CLI::Option& option) {
  const auto found = besides().find(&option);
  return found != besides().end() && found->second.is_common;
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

namespace {

/// `LABEL := NAME`: the name keeps its place, the label, empty if there is none, is returned. A file that is called so
/// is a name.
std::string take_label(std::string& name) {
  constexpr std::string_view sign = ":=";
  const auto at = name.find(sign);
  if (at == std::string::npos || core::is_file(name)) return {};
  const std::string label(core::trim(std::string_view(name).substr(0, at)));
  const std::string rest(core::trim(std::string_view(name).substr(at + sign.size())));
  if (label.empty() || rest.empty() || core::excerpt(label, label.size()) != label)
    core::fail_input("found '{}', expected a label of one plain line and what it stands for, as 'copies := llm:data=8'",
                     core::excerpt(name));
  name = rest;
  return label;
}

}  // namespace

Names take_labels(Names& names, const std::function<std::string(const std::string&)>& change) {
  std::vector<std::string> labels;
  for (auto& name : names) {
    auto label = take_label(name);
    if (!label.empty() && std::ranges::find(labels, label) != labels.end())
      core::fail_input("'{}' is the label of two; expected another one for each", core::excerpt(label));
    labels.push_back(std::move(label));
    if (change) name = change(name);
  }
  const auto short_names = views::short_names(names);
  TOROID_ASSERT(labels.size() == names.size() && short_names.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (labels[i].empty()) labels[i] = short_names[i];
  return labels;
}

}  // namespace toroid::cli
