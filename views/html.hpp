#pragma once
// A page of text, tables and pictures in one file, for light and dark surroundings. Everything is escaped.

#include <string>
#include <string_view>
#include <vector>

namespace toroid::views {

struct HtmlColumn {
  std::string title;
  bool number = false;  ///< whether it is aligned to the right
};

class HtmlTable {
 public:
  explicit HtmlTable(std::vector<HtmlColumn> columns) : columns_(std::move(columns)) {}
  /// Adds a row, with one cell per column.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string html() const;

 private:
  std::vector<HtmlColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void table(const HtmlTable& table);
  /// Adds a table that is shown when a reader clicks on its summary.
  void details(std::string_view summary, const HtmlTable& table);
  /// Adds an SVG picture, as Svg::finish() returns it.
  void picture(std::string_view svg);
  void preformatted(std::string_view text);

  std::string finish() const { return text_ + "</main>\n</body>\n</html>\n"; }

 private:
  std::string text_;
};

}  // namespace toroid::views
