#include "core/json.hpp"

#include <algorithm>

namespace toroid::core {
namespace {

/// What we write and read is a dozen deep. Whatever copies, writes or shows a value calls itself for each level of it,
/// so that a hostile one could fill the stack.
constexpr int deepest = 100;

std::uint64_t line_of(std::string_view text, std::size_t at) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

/// Before anything is made of the text: brackets outside of strings tell how deep it is.
void check_depth(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest)
        throw JsonError(fmt::format("found lists and objects more than {} deep within each other", deepest),
                        line_of(text, at));
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text) {
  check_depth(text);
  try {
    return AnyJson::parse(text);
  } catch (const typename AnyJson::parse_error& error) {
    const auto line = line_of(text, std::min(error.byte, text.size()));
    throw JsonError(fmt::format("found no JSON in line {}", line), line);
  } catch (const typename AnyJson::exception&) {  // which does not say where
    throw JsonError("found a number beyond all numbers", 0);
  }
}

template Json parse_json<Json>(std::string_view text);
template SearchedJson parse_json<SearchedJson>(std::string_view text);

}  // namespace toroid::core
