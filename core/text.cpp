#include <algorithm>
#include <cctype>
#include <numeric>

#include "toroid/core/error.hpp"

namespace toroid::core {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == separator && depth <= 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

namespace {

constexpr std::string_view blank = " \t\r\n";

bool controls(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < ' ' || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;  // the control characters of Latin 1
}

/// Letters to insert, delete or replace to make `b` of `a` (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, replaced}));
    }
  }
  return row.back();
}

/// The length of the UTF-8 sequence at the start of `text` if it is a character of XML 1.0, else 0.
std::size_t character_length(std::string_view text) {
  const bool blank = text[0] == '\t' || text[0] == '\n' || text[0] == '\r';
  const bool latin = text.starts_with('\xC2') && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  const bool control = latin || (static_cast<unsigned char>(text[0]) < 0x20 && !blank);
  const bool none = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");  // U+FFFE, U+FFFF
  return control || none ? 0 : utf8_length(text);
}

/// Where the time ends and the event begins: at the first colon that no digit follows, as those of dates have one.
std::size_t colon_in(std::string_view text) {
  for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    const auto event = trim(text.substr(colon + 1));
    if (event.empty() || std::isdigit(static_cast<unsigned char>(event[0])) == 0) return colon;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  for (auto begin = text.find_first_not_of(blank); begin != std::string_view::npos;
       begin = text.find_first_not_of(blank)) {
    text.remove_prefix(begin);
    const auto length = std::min(text.find_first_of(blank), text.size());
    all.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return all;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  // Longer than need be, halves of UTF-16 pairs, beyond the last character.
  const bool wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
                     (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    shown += excerpt(text.substr(at, end - at), std::string::npos);
    if (end < text.size()) shown += '\n';
    at = end + 1;
  }
  return shown;
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::string shown;
  while (!text.empty()) {
    const auto length = utf8_length(text);
    const auto character = text.substr(0, std::max<std::size_t>(1, length));
    if (shown.size() + character.size() > most) return shown + "...";
    if (length > 0 && !controls(character))
      shown += character;
    else if (character == "\n" || character == "\t")
      shown += character == "\n" ? "\\n" : "\\t";
    else
      for (const char c : character) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string all;
  for (const auto& part : parts) {
    if (!all.empty()) all += separator;
    all += part;
  }
  return all;
}

std::string either(const std::vector<std::string>& parts) {
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i)
    all += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return all;
}

std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;  // of names
  if (text.size() > longest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t least = text.size() / 3 + 2;  // more edits than that is another word
  for (const auto& candidate : candidates)
    if (const auto n = text.size() > 2 && candidate.starts_with(text) ? std::size_t{1} : edits(text, candidate);
        n < least) {
      least = n;
      best = candidate;
    }
  return best;
}

std::string valid_instead(std::string_view found, const std::vector<std::string>& valid) {
  const auto meant = nearest(found, valid);
  return (meant ? "; did you mean '" + *meant + "'? valid: " : "; valid: ") + (valid.empty() ? "none" : join(valid));
}

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

EventText read_event(std::string_view text, const std::vector<std::string>& known, std::string_view expected) {
  const auto colon = colon_in(text);
  if (colon == std::string_view::npos) fail_input("expected {}", expected);
  const auto event = trim(text.substr(colon + 1));
  const auto blank = std::min(event.find(' '), event.size());
  const auto what = event.substr(0, blank), which = trim(event.substr(blank));
  if (std::ranges::find(known, what) == known.end())
    fail_input("found '{}', expected {}", excerpt(what), either(known));
  if (which.empty()) fail_input("{}: found nothing after it, expected {}", what, expected);
  return {std::string(trim(text.substr(0, colon))), std::string(what), std::string(which)};
}

std::pair<std::string, std::string> cut_off(std::string_view text, std::string_view word, std::string_view expected) {
  const auto padded = std::string(text) + " ";
  const auto at = padded.rfind(fmt::format(" {} ", word));
  if (at == std::string::npos) return {std::string(text), {}};
  const auto after = trim(std::string_view(padded).substr(at + word.size() + 2));
  if (after.empty()) fail_input("{}: found nothing after it, expected {}", word, expected);
  return {std::string(trim(text.substr(0, at))), std::string(after)};
}

}  // namespace toroid::core
