#include "core/table.hpp"

#include <algorithm>
#include <cctype>

namespace toroid::core {
namespace {

bool starts_like_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 || cell[0] == '-');
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

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    std::size_t width = header_[c].size();
    bool numbers = !rows_.empty();
    for (const auto& row : rows_) {
      width = std::max(width, row.at(c).size());
      numbers = numbers && starts_like_number(row[c]);
    }
    widths.push_back(width);
    right.push_back(numbers);
  }
  std::string text = line(header_, widths, right);
  for (const auto& row : rows_) text += line(row, widths, right);
  return text;
}

}  // namespace toroid::core
