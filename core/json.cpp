#include "toroid/core/json.hpp"

#include <set>

namespace toroid::core {
namespace {

/// What we write and read is a dozen deep. Whatever copies, writes or shows a value calls itself for each level of it,
/// so that a hostile one could fill the stack.
constexpr int deepest = 100;

std::uint64_t line_of(std::string_view text, std::size_t at) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

/// Before anything is made of the text: brackets outside of strings tell how deep it is. Returns how many fields all
/// objects have: a colon outside of strings is behind the name of each.
std::size_t check_depth(std::string_view text) {
  int depth = 0;
  std::size_t fields = 0;
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
    } else if (c == ':') {
      ++fields;
    }
  }
  return fields;
}

template <class AnyJson>
std::size_t count_fields(const AnyJson& json) {
  std::size_t count = json.is_object() ? json.size() : 0;
  if (json.is_structured())
    for (const auto& part : json) count += count_fields(part);
  return count;
}

/// Throws the JsonError of a text in which an object has a field twice.
[[noreturn]] void fail_twice(std::string_view text) {
  std::vector<std::set<std::string>> names;
  std::string twice;
  const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second && twice.empty())
      twice = parsed.get<std::string>();
    return true;
  };
  [[maybe_unused]] const auto parsed = Json::parse(text, look);
  throw JsonError(fmt::format("found the field '{}' twice in an object, expected it once", excerpt(twice)), 0);
}

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text) {
  const auto fields = check_depth(text);
  try {
    auto json = AnyJson::parse(text);
    if (count_fields(json) != fields) fail_twice(text);
    return json;
  } catch (const typename AnyJson::parse_error& error) {
    const auto line = line_of(text, std::min(error.byte, text.size()));
    throw JsonError(fmt::format("found no JSON in line {}", line), line);
  } catch (const typename AnyJson::exception&) {  // which does not say where
    throw JsonError("found a number beyond 1.8e308", 0);
  }
}

template Json parse_json<Json>(std::string_view text);
template SearchedJson parse_json<SearchedJson>(std::string_view text);

}  // namespace toroid::core
