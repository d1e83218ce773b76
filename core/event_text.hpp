#pragma once
// What happens at a time, as users give it: `2ms:fail-link n5-n6`, `10h:fail-router z=0 until 14h`.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::core {

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
