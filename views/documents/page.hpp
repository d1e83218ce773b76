#pragma once
// Pages, each in one file that needs no other and fetches nothing: of a document of columns with the scripts that draw
// it, or of text, tables and pictures without scripts.

#include "core/table.hpp"
#include "views/documents/columns.hpp"

namespace toroid::views {

/// What a page is made of besides its data: the files of views/web/ that its list names, as CMake embeds them.
struct PageParts {
  std::string_view style, body, script;
};

namespace web {
extern const PageParts run, schedule, platform, diff;
}  // namespace web

std::string page(std::string_view title, const Columns& columns, const PageParts& parts);

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void table(const core::Table& table);
  /// Adds an SVG picture, as Svg::finish() returns it.
  void picture(std::string_view svg);
  void preformatted(std::string_view text);

  std::string finish() const { return text_ + "</main>\n</body>\n</html>\n"; }

 private:
  std::string text_;
};

}  // namespace toroid::views
