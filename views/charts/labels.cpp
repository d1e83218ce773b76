#include "views/charts/labels.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "toroid/core/assert.hpp"
#include "toroid/core/text.hpp"

namespace toroid::views {
namespace {

constexpr double width_per_size = 0.62;  // the width of letters in wide fonts, such as DejaVu Sans

using Parts = std::vector<std::string>;

/// The parts of a path; a single one of another name, such as a machine whose properties have values by dimension.
Parts parts_of(const std::string& path) {
  const auto values = std::min(path.find('=', std::min(path.find(':'), path.size())), path.size());
  if (path.find('/') > values) return {path};
  Parts parts;
  for (const auto part : core::split(path, '/')) parts.emplace_back(part);
  return parts;
}

/// How many first parts all paths share, never all parts of one.
std::size_t shared_parts(const std::vector<Parts>& paths) {
  for (std::size_t count = 0;; ++count)
    for (const auto& path : paths)
      if (path.size() <= count + 1 || path[count] != paths[0][count]) return count;
}

std::vector<Parts> reversed(std::vector<Parts> paths) {
  for (auto& path : paths) std::ranges::reverse(path);
  return paths;
}

std::vector<Parts> without_shared_start(std::vector<Parts> paths) {
  const auto shared = static_cast<std::ptrdiff_t>(shared_parts(paths));
  for (auto& path : paths) path.erase(path.begin(), path.begin() + shared);
  return paths;
}

/// Where each character of a UTF-8 text begins.
std::vector<std::size_t> characters(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80) starts.push_back(i);
  return starts;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& names) {
  std::vector<std::size_t> which;
  std::vector<Parts> paths;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (auto parts = parts_of(names[i]); parts.size() > 1) {
      which.push_back(i);
      paths.push_back(std::move(parts));
    }
  if (paths.empty()) return names;
  // A single path shares nothing with others; its last two parts must do.
  if (paths.size() == 1)
    paths[0].erase(paths[0].begin(), paths[0].end() - 2);
  else
    paths = reversed(without_shared_start(reversed(without_shared_start(std::move(paths)))));
  auto shorter = names;
  for (std::size_t i = 0; i < which.size(); ++i) shorter[which[i]] = core::join(paths[i], "/");
  const std::set<std::string> distinct(shorter.begin(), shorter.end());
  return distinct.size() == names.size() ? shorter : names;
}

std::string shortened(const std::string& text, std::size_t most) {
  TOROID_ASSERT(most >= 3);
  const auto starts = characters(text);
  if (starts.size() <= most) return text;
  const auto head = most / 2, tail = most - 1 - head;
  return text.substr(0, starts[head]) + "\u2026" + text.substr(starts[starts.size() - tail]);
}

std::vector<std::string> shortened_apart(const std::vector<std::string>& texts, std::size_t most) {
  std::vector<std::string> all;
  for (const auto& text : texts) all.push_back(shortened(text, most));
  // Each time a group of labels parts where its texts do first.
  for (std::size_t times = 0; times < texts.size(); ++times) {
    std::map<std::string, std::set<std::size_t>> groups;
    for (std::size_t i = 0; i < texts.size(); ++i) groups[all[i]].insert(i);
    for (const auto& [label, group] : groups) {
      const auto& first = texts[*group.begin()];
      if (std::ranges::all_of(group, [&](auto i) { return texts[i] == first; })) continue;
      auto same = first.size();  // bytes
      for (const auto i : group)
        same = std::min(same, static_cast<std::size_t>(std::ranges::mismatch(texts[i], first).in2 - first.begin()));
      const auto starts = characters(first.substr(0, same + 1));
      const auto kept = std::min({starts.size() - 1, std::size_t{2}, most - 3});
      const auto begin = starts[starts.size() - 1 - kept];
      for (const auto i : group) {
        auto rest = texts[i].substr(begin);
        const auto ends = characters(rest);
        if (ends.size() >= most) rest = rest.substr(0, ends[most - 2]) + "\u2026";
        all[i] = (begin > 0 ? "\u2026" : "") + rest;
      }
    }
  }
  return all;
}

double text_width(std::string_view text, double size) {
  TOROID_ASSERT(size > 0);
  return width_per_size * size * static_cast<double>(characters(text).size());
}

std::string fitted(const std::string& text, double size, double width) {
  return fitted_apart({text}, size, width).front();
}

std::vector<std::string> fitted_apart(const std::vector<std::string>& texts, double size, double width) {
  return shortened_apart(texts, static_cast<std::size_t>(std::max(3.0, width / (width_per_size * size))));
}

}  // namespace toroid::views
