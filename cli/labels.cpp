#include "cli/labels.hpp"

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "views/charts/labels.hpp"

namespace toroid::cli {
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
