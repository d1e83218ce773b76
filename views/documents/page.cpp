#include "views/documents/page.hpp"

namespace toroid::views {
namespace {

/// Bytes as text (RFC 4648).
std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63U];
  }
  return text;
}

/// JSON that may stand in a script element: no `</` ends it early.
std::string for_script(std::string json) {
  for (auto at = json.find('<'); at != std::string::npos; at = json.find('<', at)) json.replace(at, 1, "\\u003c");
  return json;
}

/// A page until after the beginning of its body. Whatever it would fetch, the browser refuses.
std::string head_of(std::string_view title, std::string_view style, std::string_view scripts) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n",
      scripts, core::escape_markup(title), style);
}

constexpr std::string_view text_style = R"(
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #222222;
  font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif; }
main { max-width: 1100px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.scroll, figure { overflow-x: auto; margin: 1rem 0; }
figure svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 0.87rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #dddddd; }
td { min-width: 5rem; }
th { border-bottom: 2px solid #999999; vertical-align: bottom; }
td.number, th.number { min-width: 0; text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
pre { overflow-x: auto; padding: 0.8rem; background: #f4f4f4; font-size: 0.8rem; }
@media (prefers-color-scheme: dark) {
  body { background: #17191c; color: #e6e6e6; }
  th, td { border-color: #3a3d42; }
  pre { background: #22252a; }
}
)";

std::string scrolled(const core::Table& table) {
  return "<div class=\"scroll\">" + table.html() + "</div>\n";
}

}  // namespace

std::string page(std::string_view title, const Columns& columns, const PageParts& parts) {
  return head_of(title, fmt::format("\n{}", parts.style), "; script-src 'unsafe-inline'") +
         fmt::format(
             "{}<script type=\"application/json\" id=\"head\">{}</script>\n<script type=\"text/plain\" "
             "id=\"numbers\">{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
             parts.body, for_script(columns.head()), base64(columns.packed()), parts.script);
}

HtmlPage::HtmlPage(std::string_view title)
    : text_(head_of(title, text_style, "") + fmt::format("<main>\n<h1>{}</h1>\n", core::escape_markup(title))) {}

void HtmlPage::heading(std::string_view text) {
  text_ += fmt::format("<h2>{}</h2>\n", core::escape_markup(text));
}

void HtmlPage::paragraph(std::string_view text) {
  text_ += fmt::format("<p>{}</p>\n", core::escape_markup(text));
}

void HtmlPage::table(const core::Table& table) {
  text_ += scrolled(table);
}

void HtmlPage::picture(std::string_view svg) {
  text_ += fmt::format("<figure>\n{}</figure>\n", svg);
}

void HtmlPage::preformatted(std::string_view text) {
  text_ += fmt::format("<pre>{}</pre>\n", core::escape_markup(text));
}

}  // namespace toroid::views
