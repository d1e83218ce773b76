#include "platforms/names.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "platforms/boxes.hpp"

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
    const auto name = box_name();
    if (name.empty()) return {router()};
    rest_.remove_prefix(name.size());
    std::vector<RouterName> all;
    for (const auto& place : places_in(m_, parse_box(m_, name, what_)))
      all.push_back({.by = RouterName::By::coordinates, .at = place, .dimensions = m_.dimensions.size()});
    return all;
  }

  RouterName router() {
    using By = RouterName::By;
    if (take("(")) return place(")");
    if (const auto end = rest_.find_first_not_of("0123456789"); end > 0 && end < rest_.size() && rest_[end] == ',')
      return place("");  // a spec has taken the parentheses away
    if (take("n")) return {.by = By::node, .number = number()};
    if (take("r")) return {.by = By::router, .number = number()};
    return {.by = By::number, .number = number()};
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

  /// The name of a box that begins right here, if one does: `(0-5,0,0)`, `z=0`, or `0-5,0,0` where a spec has taken the
  /// parentheses away.
  Text box_name() {
    const auto has_range = [](Text text) { return text.find_first_of("-*") != Text::npos; };
    if (at_end()) return {};
    if (rest_[0] == '(') {
      const auto text = rest_.substr(0, rest_.find(')') + 1);
      return has_range(text) ? text : Text();
    }
    const auto word = rest_.substr(0, rest_.find_first_of(" \t\n"));
    const bool is_bare = (is_digit(word[0]) || word[0] == '*') && word.find(',') != Text::npos && has_range(word);
    return is_bare || word.find('=') != Text::npos ? word : Text();
  }

  RouterName place(Text end) {
    RouterName name{.by = RouterName::By::coordinates};
    do {
      at_end();
      const auto coordinate = number();
      if (name.dimensions < m_.dimensions.size()) name.at[name.dimensions] = coordinate;
      ++name.dimensions;
    } while (take(","));
    if (!end.empty()) expect(end);
    if (name.dimensions != m_.dimensions.size())
      core::fail_input("{}: found '{}', expected a router's {} coordinates", what_, core::excerpt(core::trim(text_)),
                       m_.dimensions.size());
    return name;
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

/// ` (+x)`, or nothing where the name does not say.
std::string direction_text(const Description& m, const LinkName& name) {
  if (!name.dimension) return {};
  return fmt::format(" ({}{})",
                     name.kind == Kind::line ? ""
                     : name.forward          ? "+"
                                             : "-",
                     m.dimensions[*name.dimension].name);
}

}  // namespace

std::optional<NodeId> parse_node_name(Text text) {
  text = core::trim(text);
  if (text.size() > 1 && text[0] == 'n' && is_digit(text[1])) text.remove_prefix(1);
  const auto number = core::parse_number<std::int32_t>(text);
  return number ? std::optional<NodeId>(*number) : std::nullopt;
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
  switch (name.by) {
    case RouterName::By::number:
      return std::to_string(name.number);
    case RouterName::By::node:
      return fmt::format("n{}", name.number);
    case RouterName::By::router:
      return fmt::format("r{}", name.number);
    case RouterName::By::coordinates:
      break;
  }
  return fmt::format("({})", fmt::join(name.at.begin(), name.at.begin() + static_cast<long>(name.dimensions), ","));
}

std::string link_text(const Description& m, const LinkName& name) {
  const auto from = to_string(name.from);
  switch (name.kind) {
    case Kind::line:
      return "line of " + from + direction_text(m, name);
    case Kind::injection:
      return from + " injection";
    case Kind::ejection:
      return from + " ejection";
    case Kind::one_way:
      return fmt::format("{}{}{}{}", from, name.dimension ? " -> " : ">", to_string(name.to), direction_text(m, name));
    case Kind::both_ways:
      break;
  }
  return fmt::format("{}-{}{}", from, to_string(name.to), direction_text(m, name));
}

std::string coordinates_text(const Grid& grid, RouterId router) {
  const auto at = grid.coordinates(router);
  return fmt::format("({})", fmt::join(at.begin(), at.begin() + static_cast<long>(grid.dimension_count()), ","));
}

RouterId router_named(const Machine& machine, const RouterName& name) {
  using By = RouterName::By;
  if (name.by == By::coordinates) return machine.grid().router_at(name.at);
  if (name.by == By::router) return RouterId(name.number);
  const auto router = machine.router(NodeId(name.number));
  if (name.by == By::node || router == RouterId(name.number)) return router;
  if (name.number >= machine.grid().size())
    core::fail_input("'{}': '{}' is a node, on r{}; expected n{}", machine.name(), name.number, router, name.number);
  core::fail_input("'{}': '{}' may be node {}, which is on r{}, or router {}; expected n{} or r{}", machine.name(),
                   name.number, name.number, router, name.number, name.number, name.number);
}

std::vector<LinkId> links_named(const Machine& machine, const LinkName& name) {
  const auto& grid = machine.grid();
  if (name.kind == Kind::injection) return {LinkId(grid.link_count() + name.from.number)};
  if (name.kind == Kind::ejection) return {LinkId(grid.link_count() + machine.node_count() + name.from.number)};
  const auto from = router_named(machine, name.from);
  if (name.kind == Kind::line) {
    if (!grid.dimension(*name.dimension).shared)
      core::fail_input("'{}': no line along {} is shared", machine.name(), grid.name(*name.dimension));
    return {grid.shared_link(from, *name.dimension)};
  }
  const auto to = router_named(machine, name.to);
  std::vector<LinkId> found;
  const auto add = [&](RouterId source, RouterId target, std::size_t d, bool forward) {
    if (!grid.has_neighbour(source, d, forward) || grid.neighbour(source, d, forward) != target) return;
    const auto link = grid.dimension(d).shared ? grid.shared_link(source, d) : grid.link(source, d, forward);
    if (std::find(found.begin(), found.end(), link) == found.end()) found.push_back(link);
  };
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    for (const bool forward : {true, false}) {
      if (name.dimension && (*name.dimension != d || name.forward != forward)) continue;
      add(from, to, d, forward);
      if (name.kind == Kind::both_ways) add(to, from, d, !forward);
    }
  if (found.empty())
    core::fail_input("'{}': failed-links: no link joins {} and {}{}", machine.name(), to_string(name.from),
                     to_string(name.to), direction_text(machine.description(), name));
  return found;
}

}  // namespace toroid::platforms
