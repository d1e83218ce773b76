#pragma once
// A page of text, tables and pictures in one file, for light and dark surroundings. Everything is escaped.

#include <string>
#include <string_view>

#include "core/table.hpp"

namespace toroid::views {

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void table(const core::Table& table);
  /// Adds a table that is shown when a reader clicks on its summary.
  void details(std::string_view summary, const core::Table& table);
  /// Adds an SVG picture, as Svg::finish() returns it.
  void picture(std::string_view svg);
  void preformatted(std::string_view text);

  std::string finish() const { return text_ + "</main>\n</body>\n</html>\n"; }

 private:
  std::string text_;
};

}  // namespace toroid::views
