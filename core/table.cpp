#include "core/table.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <numeric>

#include "toroid/core/text.hpp"

namespace toroid::core {
namespace {

bool starts_like_number(const std::string& cell) {
  const auto first = cell.empty() || cell[0] != '<' ? std::size_t{0} : 1;
  return cell.size() > first &&
         (std::isdigit(static_cast<unsigned char>(cell[first])) != 0 || cell[first] == '-' || cell[first] == '+');
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

/// What stands for characters that have a meaning in a language; the others stand for themselves, but for those that
/// end lines or control terminals.
using Escapes = std::map<char, std::string_view>;

const Escapes markdown{{'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'<', "&lt;"}, {'`', "\\`"}, {'\\', "\\\\"}};

const Escapes latex{{'&', "\\&"},
                    {'%', "\\%"},
                    {'$', "\\$"},
                    {'#', "\\#"},
                    {'_', "\\_"},
                    {'{', "\\{"},
                    {'}', "\\}"},
                    {'~', "\\textasciitilde{}"},
                    {'^', "\\textasciicircum{}"},
                    {'\\', "\\textbackslash{}"},
                    {'<', "\\textless{}"},
                    {'>', "\\textgreater{}"}};

std::string escaped(const std::string& text, const Escapes& escapes) {
  std::string result;
  for (const char c : excerpt(text, std::string::npos))
    if (const auto other = escapes.find(c); other != escapes.end())
      result += other->second;
    else
      result += c;
  return result;
}

/// The cells, each after `text_for`, with `between` between them.
std::string row_of(const std::vector<std::string>& cells, std::string_view between,
                   std::string (*text_for)(const std::string&)) {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) text += between;
    text += text_for(cells[c]);
  }
  return text;
}

}  // namespace

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && std::atoi(columns) > 0)
    return static_cast<std::size_t>(std::atoi(columns));
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : SIZE_MAX;
}

std::string text_for_markdown(const std::string& text) {
  return escaped(text, markdown);
}

std::string text_for_tex(const std::string& text) {
  auto result = escaped(text, latex);
  // Two hyphens would become a dash.
  for (auto dash = result.find("--"); dash != std::string::npos; dash = result.find("--", dash))
    result.insert(++dash, "{}");
  return result;
}

bool Table::is_of_numbers(std::size_t column) const {
  return !rows_.empty() &&
         std::ranges::all_of(rows_, [&](const auto& row) { return starts_like_number(row.at(column)); });
}

std::string Table::markdown() const {
  std::string text = "| " + row_of(header_, " | ", text_for_markdown) + " |\n|";
  for (std::size_t c = 0; c < header_.size(); ++c) text += is_of_numbers(c) ? "--:|" : "---|";
  text += "\n";
  for (const auto& row : rows_) text += "| " + row_of(row, " | ", text_for_markdown) + " |\n";
  return text;
}

std::size_t Table::widest(std::size_t column) const {
  std::size_t most = header_[column].size();
  for (const auto& row : rows_) most = std::max(most, row.at(column).size());
  return most;
}

std::string Table::tex() const {
  constexpr std::size_t long_text = 50;  // characters, about half a line
  std::vector<std::string> kinds;
  for (std::size_t c = 0; c < header_.size(); ++c)
    kinds.push_back(is_of_numbers(c) ? "r" : widest(c) > long_text ? "p" : "l");
  // Long texts share half of the line.
  const auto share =
      fmt::format("p{{{:.2f}\\linewidth}}", 0.5 / std::max(1.0, static_cast<double>(std::ranges::count(kinds, "p"))));
  std::ranges::replace(kinds, std::string("p"), share);
  std::string text = "\\begin{tabular}{" + join(kinds, "");
  text += "}\n\\toprule\n" + row_of(header_, " & ", text_for_tex) + " \\\\\n\\midrule\n";
  for (const auto& row : rows_) text += row_of(row, " & ", text_for_tex) + " \\\\\n";
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string Table::html() const {
  std::vector<std::string_view> kinds;
  for (std::size_t c = 0; c < header_.size(); ++c) kinds.emplace_back(is_of_numbers(c) ? " class=\"number\"" : "");
  const auto row = [&](std::string_view tag, const std::vector<std::string>& cells) {
    std::string text = "<tr>";
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += fmt::format("<{0}{1}>{2}</{0}>", tag, kinds[c], escape_markup(cells[c]));
    return text + "</tr>";
  };
  std::string text = "<table>\n<thead>" + row("th", header_) + "</thead>\n<tbody>\n";
  for (const auto& cells : rows_) text += row("td", cells) + "\n";
  return text + "</tbody>\n</table>\n";
}

std::string Table::text(std::size_t width) const {
  constexpr std::size_t narrowest = 30;  // of the last column: an overlong line reads better than a word a line
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    widths.push_back(widest(c));
    right.push_back(is_of_numbers(c));
  }
  const auto before = std::accumulate(widths.begin(), widths.end() - 1, 2 * (widths.size() - 1));
  const auto left = std::max(narrowest, width - std::min(width, before));
  widths.back() = std::min(widths.back(), left);
  std::string text = line(header_, widths, right);
  for (auto row : rows_)
    for (const auto& part : wrapped(row.back(), left)) {
      row.back() = part;
      text += line(row, widths, right);
      std::ranges::fill(row, "");
    }
  return text;
}

}  // namespace toroid::core
