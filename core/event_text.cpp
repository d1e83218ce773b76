#include "core/event_text.hpp"

#include <algorithm>
#include <cctype>

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::core {
namespace {

/// Where the time ends and the event begins: at the first colon that no digit follows, as those of dates have one.
std::size_t colon_in(std::string_view text) {
  for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    const auto event = trim(text.substr(colon + 1));
    if (event.empty() || std::isdigit(static_cast<unsigned char>(event[0])) == 0) return colon;
  }
  return std::string_view::npos;
}

}  // namespace

EventText read_event(std::string_view text, const std::vector<std::string>& known, std::string_view expected) {
  const auto colon = colon_in(text);
  if (colon == std::string_view::npos) fail_input("expected {}", expected);
  const auto event = trim(text.substr(colon + 1));
  const auto blank = std::min(event.find(' '), event.size());
  const auto what = event.substr(0, blank), which = trim(event.substr(blank));
  if (std::find(known.begin(), known.end(), what) == known.end())
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
