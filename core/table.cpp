#include "core/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

#include "core/text.hpp"

namespace toroid::core {
namespace {

bool starts_like_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '-' || cell[0] == '+');
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string fill(width - std::min(width, cell.size()), ' ');
  return right ? fill + cell : cell + fill;
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                 const std::vector<bool>& right) {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c) text += (c == 0 ? "" : "  ") + padded(cells[c], widths[c], right[c]);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// The text in lines of at most `width` characters, longer words left whole.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines{""};
  for (const auto word : split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

}  // namespace

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0)
    return static_cast<std::size_t>(std::atoi(columns));
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : SIZE_MAX;
}

std::string Table::text(std::size_t width) const {
  constexpr std::size_t narrowest = 30;  // of the last column: an overlong line reads better than a word a line
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    std::size_t widest = header_[c].size();
    bool numbers = !rows_.empty();
    for (const auto& row : rows_) {
      widest = std::max(widest, row.at(c).size());
      numbers = numbers && starts_like_number(row[c]);
    }
    widths.push_back(widest);
    right.push_back(numbers);
  }
  const auto before = std::accumulate(widths.begin(), widths.end() - 1, 2 * (widths.size() - 1));
  const auto left = std::max(narrowest, width - std::min(width, before));
  widths.back() = std::min(widths.back(), left);
  std::string text = line(header_, widths, right);
  for (auto row : rows_)
    for (const auto& part : wrapped(row.back(), left)) {
      row.back() = part;
      text += line(row, widths, right);
      std::fill(row.begin(), row.end(), "");
    }
  return text;
}

}  // namespace toroid::core
