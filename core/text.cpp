#include "core/text.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace toroid::core {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == separator && depth <= 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string shown(text.substr(0, most));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > most ? shown + "..." : shown;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (const auto& part : parts) {
    if (!all.empty()) all += separator;
    all += part;
  }
  return all;
}

std::string either(const std::vector<std::string>& parts) {
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i)
    all += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return all;
}

namespace {

/// Letters to insert, delete or replace to make `b` of `a` (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t least = text.size() / 3 + 2;  // more edits than that is another word
  for (const auto& candidate : candidates)
    if (const auto n = edits(text.substr(0, 64), candidate); n < least) {
      least = n;
      best = candidate;
    }
  return best;
}

std::string valid_instead(std::string_view found, const std::vector<std::string>& valid) {
  const auto meant = nearest(found, valid);
  return (meant ? "; did you mean '" + *meant + "'? valid: " : "; valid: ") + (valid.empty() ? "none" : join(valid));
}

}  // namespace toroid::core
