#pragma once
// Results for people: columns aligned, numbers to the right.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "toroid/core/assert.hpp"

namespace toroid::core {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  /// Adds a row of as many cells as the header has, or fewer.
  void add(std::vector<std::string> row) {
    TOROID_ASSERT(row.size() <= header_.size());
    rows_.push_back(std::move(row));
  }
  /// The table as text; a column whose cells all start with a digit or sign, behind `<` too, is aligned to the right.
  /// The last column is wrapped between words where a line would be wider than `width` characters.
  std::string text(std::size_t width = SIZE_MAX) const;
  /// The same table in Markdown, as GitHub and others read it.
  std::string markdown() const;
  /// The same table as a LaTeX tabular with the rules of the package booktabs. Columns of long texts break their lines.
  std::string tex() const;
  /// The same table as HTML. Cells of columns of numbers have the class `number`.
  std::string html() const;

 private:
  bool is_of_numbers(std::size_t column) const;
  std::size_t widest(std::size_t column) const;  ///< characters of its longest cell, or header

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// The text as Markdown and LaTeX print it: characters that have a meaning there are escaped.
std::string text_for_markdown(const std::string& text);
std::string text_for_tex(const std::string& text);

/// The width of a line in characters: what the variable COLUMNS says, or else the width of the terminal that standard
/// output is; SIZE_MAX where it is none.
std::size_t terminal_width();

}  // namespace toroid::core
