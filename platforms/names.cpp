#include "platforms/names.hpp"

#include <algorithm>

#include "platforms/values.hpp"
#include "toroid/core/error.hpp"

namespace toroid::platforms {
namespace {

using Text = std::string_view;
using Kind = LinkName::Kind;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads names from a text, one after the other.
class Scanner {
 public:
  Scanner(const Description& m, Text text, Text what, Text expected)
      : m_(m), text_(text), rest_(text), what_(what), expected_(expected) {}

  bool at_end() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size()));
    return rest_.empty();
  }

  /// One router, or all in a box.
  std::vector<RouterName> routers() {
    if (!begins_box()) return {router()};
    std::vector<RouterName> all;
    for (const auto& place : places_in(m_.dimensions.size(), box())) all.push_back(at(place));
    return all;
  }

  RouterName router() {
    using By = RouterName::By;
    at_end();
    const auto digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    if (rest_.starts_with('(') || (!digits.empty() && rest_.substr(digits.size()).starts_with(','))) return place();
    if (take("n")) return {.by = By::node, .number = number()};
    if (take("r")) return {.by = By::router, .number = number()};
    return {.by = By::number, .number = number()};
  }

  /// `(0-5,0,*)`, `0-5,0,*` where a spec has taken the parentheses away, or `z=0`.
  Box box() {
    Box box;
    for (std::size_t d = 0; d < m_.dimensions.size(); ++d) box.high[d] = m_.dimensions[d].extent - 1;
    if (const auto name = axis(); !name.empty()) {
      const auto d = find_dimension(m_, core::trim(name), what_);
      rest_.remove_prefix(name.size() + 1);
      read_range(d, box);
    } else {
      read_coordinates([&](std::size_t d) { read_range(d, box); });
    }
    return box;
  }

  LinkName link() {
    if (take("line")) {
      expect("of");
      LinkName line{.kind = Kind::line, .from = router()};
      expect("(");
      line.dimension = dimension();
      return line;
    }
    LinkName name{.from = router()};
    for (const auto& [word, kind] : {std::pair{"injection", Kind::injection}, {"ejection", Kind::ejection}})
      if (take(word)) {
        if (name.from.by != RouterName::By::node) fail();
        name.kind = kind;
        return name;
      }
    if (take("->") || take(">"))
      name.kind = Kind::one_way;
    else
      expect("-");
    name.to = router();
    if (at_end() || rest_.size() < 2 || rest_[0] != '(' || is_digit(rest_[1])) return name;
    expect("(");
    name.forward = take("+");
    if (!name.forward) expect("-");
    name.dimension = dimension();
    return name;
  }

 private:
  [[noreturn]] void fail() const {
    core::fail_input("{}: found '{}', expected {}", what_, core::excerpt(core::trim(text_)), expected_);
  }

  bool take(Text word) {
    if (at_end() || !rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void expect(Text word) {
    if (!take(word)) fail();
  }

  /// A whole number that begins right here.
  std::int32_t number() {
    const auto digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
    const auto value = core::parse_number<std::int32_t>(digits);
    if (!value) fail();
    rest_.remove_prefix(digits.size());
    return *value;
  }

  /// The name before an equals sign, `z` of `z=0`, if one begins right here.
  Text axis() {
    if (at_end() || is_digit(rest_[0])) return {};
    const auto end = after_blanks(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"));
    return end < rest_.size() && rest_[end] == '=' ? rest_.substr(0, end) : Text();
  }

  bool begins_box() {
    if (at_end()) return false;
    if (rest_[0] == '(' || rest_[0] == '*' || !axis().empty()) return true;
    const auto end = after_blanks(rest_.find_first_not_of("0123456789"));
    return is_digit(rest_[0]) && end < rest_.size() && (rest_[end] == ',' || rest_[end] == '-');
  }

  /// The first place from `at` on that is no blank.
  std::size_t after_blanks(std::size_t at) const {
    return std::min(rest_.find_first_not_of(" \t\n", at), rest_.size());
  }

  /// Calls `read(d)` where each coordinate begins, in parentheses or without.
  template <class Read>
  void read_coordinates(Read read) {
    const auto expect_all = [&](bool are_there) {
      if (!are_there)
        core::fail_input("{}: found '{}', expected a router's {} coordinates, ranges such as 0-5, or *", what_,
                         core::excerpt(core::trim(text_)), m_.dimensions.size());
    };
    const bool has_parentheses = take("(");
    std::size_t d = 0;
    do {
      expect_all(d < m_.dimensions.size());
      at_end();
      read(d++);
    } while (take(","));
    expect_all(d == m_.dimensions.size());
    if (has_parentheses) expect(")");
  }

  /// `3`, `0-5`, or `*` for all.
  void read_range(std::size_t d, Box& box) {
    const auto& dimension = m_.dimensions[d];
    at_end();
    const auto found = core::trim(rest_.substr(0, rest_.find_first_of(",) \t\n")));
    if (take("*")) return;
    const auto coordinate = [&] {
      at_end();
      const auto digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
      rest_.remove_prefix(digits.size());
      return core::parse_number<std::int32_t>(digits);
    };
    const auto low = coordinate();
    const auto high = low && take("-") ? coordinate() : low;
    if (!low || !high || *high < *low)
      core::fail_input("{}: found '{}' for {}, expected a coordinate, a range such as 0-5, or *", what_,
                       core::excerpt(found), dimension.name);
    if (*high >= dimension.extent)
      core::fail_input("{}: found '{}' for {}, which has the coordinates 0 to {}", what_, core::excerpt(found),
                       dimension.name, dimension.extent - 1);
    box.low[d] = *low;
    box.high[d] = *high;
  }

  RouterName at(const Coordinates& place) const {
    return {.by = RouterName::By::coordinates, .at = place, .dimensions = m_.dimensions.size()};
  }

  RouterName place() {
    Coordinates place{};
    read_coordinates([&](std::size_t d) { place[d] = number(); });
    return at(place);
  }

  /// `x)`.
  std::size_t dimension() {
    const auto end = rest_.find(')');
    const auto wanted = core::trim(rest_.substr(0, end));
    for (std::size_t d = 0; end != Text::npos && d < m_.dimensions.size(); ++d)
      if (m_.dimensions[d].name == wanted) {
        rest_.remove_prefix(end + 1);
        return d;
      }
    fail();
  }

  const Description& m_;
  Text text_, rest_, what_, expected_;
};

std::size_t volume(std::size_t dimensions, const Box& box) {
  std::size_t places = 1;
  for (std::size_t d = 0; d < dimensions; ++d)
    places *= static_cast<std::size_t>(std::max(0, box.high[d] - box.low[d] + 1));
  return places;
}

}  // namespace

std::optional<NodeId> parse_node_name(Text text) {
  text = core::trim(text);
  if (text.size() > 1 && text[0] == 'n' && is_digit(text[1])) text.remove_prefix(1);
  const auto number = core::parse_number<std::int32_t>(text);
  return number ? std::optional<NodeId>(*number) : std::nullopt;
}

bool is_box_name(Text text) {
  return text.starts_with('(') || text.find('=') != Text::npos;
}

Box parse_box(const Description& m, Text text, Text what) {
  constexpr Text expected = "a box such as (0-5,0,0) or z=0";
  Scanner scanner(m, text, what, expected);
  const auto box = scanner.box();
  if (!scanner.at_end()) core::fail_input("{}: found '{}', expected {}", what, core::excerpt(text), expected);
  return box;
}

std::string box_text(const Description& m, const Box& box) {
  std::vector<std::string> ranges;
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    ranges.push_back(box.low[d] == box.high[d] ? std::to_string(box.low[d])
                                               : fmt::format("{}-{}", box.low[d], box.high[d]));
  auto text = fmt::format("({})", core::join(ranges, ","));
  TOROID_ASSERT_HEAVY(parse_box(m, text, "") == box);  // the text reads back as the same box
  return text;
}

std::vector<Coordinates> places_in(std::size_t dimensions, const Box& box) {
  TOROID_ASSERT(dimensions <= max_dimensions);
  std::vector<Coordinates> all{box.low};
  for (std::size_t d = dimensions; d-- > 0;) {
    std::vector<Coordinates> longer;
    for (const auto& place : all)
      for (auto next = place; next[d] <= box.high[d]; ++next[d]) longer.push_back(next);
    all = std::move(longer);
  }
  TOROID_ASSERT_HEAVY(all.size() == volume(dimensions, box));
  return all;
}

std::vector<RouterName> parse_router_names(const Description& m, Text text, Text what) {
  std::vector<RouterName> all;
  if (text == "none") return all;
  Scanner scanner(m, text, what, "routers such as r16, n3, their coordinates in parentheses, (0-5,0,0) or z=0");
  while (!scanner.at_end())
    for (const auto& name : scanner.routers()) all.push_back(name);
  return all;
}

std::vector<LinkName> parse_link_names(const Description& m, Text text, Text what) {
  std::vector<LinkName> all;
  if (text == "none") return all;
  Scanner scanner(m, text, what, "two neighbours such as n5-n6 or r5-r6, n5>n6 for one way, or n5 -> n6 (+x)");
  while (!scanner.at_end()) all.push_back(scanner.link());
  return all;
}

std::string to_string(const RouterName& name) {
  using By = RouterName::By;
  if (name.by == By::coordinates)
    return fmt::format("({})", fmt::join(name.at.begin(), name.at.begin() + static_cast<long>(name.dimensions), ","));
  return fmt::format("{}{}", name.by == By::node ? "n" : name.by == By::router ? "r" : "", name.number);
}

std::string direction_text(const Description& m, const LinkName& name) {
  if (!name.dimension) return {};
  return fmt::format(" ({}{})",
                     name.kind == Kind::line ? ""
                     : name.forward          ? "+"
                                             : "-",
                     m.dimensions[*name.dimension].name);
}

std::string link_text(const Description& m, const LinkName& name) {
  const auto from = to_string(name.from);
  if (name.kind == Kind::line) return "line of " + from + direction_text(m, name);
  if (name.kind == Kind::injection) return from + " injection";
  if (name.kind == Kind::ejection) return from + " ejection";
  const auto* between = name.kind == Kind::both_ways ? "-" : name.dimension ? " -> " : ">";
  return fmt::format("{}{}{}{}", from, between, to_string(name.to), direction_text(m, name));
}

std::string coordinates_text(const Grid& grid, RouterId router) {
  const auto at = grid.coordinates(router);
  return fmt::format("({})", fmt::join(at.begin(), at.begin() + static_cast<long>(grid.dimension_count()), ","));
}

std::size_t find_dimension(const Description& m, Text name, Text what) {
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (m.dimensions[d].name == name) return d;
  core::fail_input("{}: no dimension '{}'; the machine has {}", what, core::excerpt(name),
                   joined(m.dimensions, ", ", &Dimension::name));
}

}  // namespace toroid::platforms
