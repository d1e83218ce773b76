#pragma once
// Small text helpers: splitting, and numbers that must be numbers to the last character.

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::core {

/// The parts of `text` between `separator`s; empty parts are kept. Separators inside parentheses do not split.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts of `text` between white space.
std::vector<std::string_view> words(std::string_view text);

/// `text` without the white space around it.
std::string_view trim(std::string_view text);

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t utf8_length(std::string_view text);

/// `text` for a message of one line that a terminal shows as it is: cut after `most` bytes, and what controls terminals
/// or is no UTF-8 escaped, as in \x1b.
std::string excerpt(std::string_view text, std::size_t most = 60);

/// `text` as excerpt() shows it, but whole and in its own lines: for what is printed, with names that come from files.
std::string printable(std::string_view text);

/// `a, b, c`: for messages that list what is valid.
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

/// `a, b or c`: for messages and help that say what is expected.
std::string either(const std::vector<std::string>& parts);

/// The candidate that `text` was probably meant to be, by the number of letters to change; nothing if none is near.
std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& candidates);

/// The end of a message about an unknown name: `; valid: a, b, c`, before that `; did you mean 'b'?` if one is near.
std::string valid_instead(std::string_view found, const std::vector<std::string>& valid);

/// The number that the whole of `text` spells, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `text` as content of an XML element or attribute. Bytes that are no UTF-8, characters that XML does not have
/// and those that control terminals become U+FFFD.
std::string escape_markup(std::string_view text);

/// What happens at a time, as users give it: `2ms:fail-link n5-n6`, `10h:fail-router z=0 until 14h`.
struct EventText {
  std::string time, what, which;  ///< `10h`, `fail-router` and `z=0 until 14h`
};

/// Reads TIME:WHAT WHICH, where WHAT is one of `known`; colons in dates do not end the time. Throws InputError with
/// what was `expected` where there is no such colon, and for another WHAT and nothing after it.
EventText read_event(std::string_view text, const std::vector<std::string>& known, std::string_view expected);

/// The text up to the last `word` between blanks, and what comes after it; nothing where there is no such word. Throws
/// InputError, with what was `expected`, where nothing comes after it.
std::pair<std::string, std::string> cut_off(std::string_view text, std::string_view word, std::string_view expected);

}  // namespace toroid::core
