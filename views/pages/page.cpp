#include "views/pages/page.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "views/svg.hpp"

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

}  // namespace

std::string page(std::string_view title, const Columns& columns, const PageParts& parts) {
  // Whatever the page would fetch, the browser refuses.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n{}"
      "<script type=\"application/json\" id=\"head\">{}</script>\n<script type=\"text/plain\" "
      "id=\"numbers\">{}</script>\n"
      "<script>\n{}</script>\n</body>\n</html>\n",
      core::escape_markup(title), parts.style, parts.body, for_script(columns.head()), base64(columns.packed()),
      parts.script);
}

}  // namespace toroid::views
