#include "cli/option.hpp"

#include <algorithm>
#include <limits>

#include "core/file.hpp"
#include "core/text.hpp"
#include "views/charts/labels.hpp"

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

std::vector<std::string> take_labels(std::vector<std::string>& names,
                                     const std::function<std::string(const std::string&)>& change) {
  std::vector<std::string> labels;
  for (auto& name : names) {
    auto label = take_label(name);
    if (!label.empty() && std::find(labels.begin(), labels.end(), label) != labels.end())
      core::fail_input("'{}' is the label of two; expected another one for each", core::excerpt(label));
    labels.push_back(std::move(label));
    if (change) name = change(name);
  }
  const auto short_names = views::short_names(names);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (labels[i].empty()) labels[i] = short_names[i];
  return labels;
}

}  // namespace toroid::cli
