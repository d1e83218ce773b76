#include "core/markup.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace toroid::core {
namespace {

/// The length of the UTF-8 sequence at the start of `text` if it is a character of XML 1.0, else 0.
std::size_t character_length(std::string_view text) {
  const bool blank = text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
  const bool latin = text.starts_with('\xC2') && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  const bool control = latin || (static_cast<unsigned char>(text[0]) < 0x20 && !blank);
  const bool none = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");  // U+FFFE, U+FFFF
  return control || none ? 0 : utf8_length(text);
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto length = character_length(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (length == 0)
      escaped += "\xEF\xBF\xBD";
    else if (character == "&")
      escaped += "&amp;";
    else if (character == "<")
      escaped += "&lt;";
    else if (character == ">")
      escaped += "&gt;";
    else if (character == "\"")
      escaped += "&quot;";
    else if (character == "'")
      escaped += "&#39;";
    else
      escaped += character;
  }
  return escaped;
}

}  // namespace toroid::core
