#include "platforms/values.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "core/units.hpp"
#include "platforms/names.hpp"

namespace toroid::platforms {

namespace {

/// Separated by blanks or commas, except in brackets: `nid[1,3]` is one word.
std::vector<Text> words(Text text) {
  std::vector<Text> all;
  for (const auto part : core::split(text, ' '))
    for (const auto word : split_host_list(part))
      if (const auto trimmed = core::trim(word); !trimmed.empty()) all.push_back(trimmed);
  return all;
}

/// `4x4x2`, with sides from `low` on.
Placement::Extents parse_sides(Text text, std::int32_t low, Text what) {
  Placement::Extents sides{};
  const auto parts = core::split(text, 'x');
  if (parts.size() != sides.size())
    fail_input("{}: found '{}', expected three numbers such as 4x4x2", what, core::excerpt(text));
  for (std::size_t d = 0; d < sides.size(); ++d)
    sides[d] = parse_count(parts[d], what, low, static_cast<std::int32_t>(most_routers));
  return sides;
}

Placement parse_placement(Text dims, Text what) {
  Placement placement{.dims = parse_sides(dims, 1, what)};
  std::int64_t size = 1;
  for (const auto side : placement.dims)
    if ((size *= side) > most_routers) fail_input("{}: '{}' is larger than any machine", what, core::excerpt(dims));
  return placement;
}

std::int32_t parse_position(Text text, Text what) {
  return parse_count(text, what, 0, std::numeric_limits<std::int32_t>::max());
}

/// `3`, `1-15`, `1-15/2`, several separated by commas.
std::vector<Positions> parse_positions(Text text, Text what) {
  std::vector<Positions> all;
  for (const auto part : core::split(text, ',')) {
    const auto slash = part.find('/');
    const auto range = part.substr(0, slash);
    const auto dash = range.find('-');
    Positions p;
    p.first = p.last = parse_position(range.substr(0, dash), what);
    if (dash != Text::npos) p.last = parse_position(range.substr(dash + 1), what);
    if (slash != Text::npos) p.step = parse_count(part.substr(slash + 1), what, 1, std::numeric_limits<int>::max());
    if (p.last < p.first) fail_input("{}: found '{}', expected positions such as 3 or 1-15/2", what, part);
    all.push_back(p);
  }
  return all;
}

std::string positions_text(const std::vector<Positions>& all) {
  return joined(all, ",", [](const Positions& p) {
    auto text = std::to_string(p.first);
    if (p.last != p.first) text += fmt::format("-{}", p.last);
    if (p.step != 1) text += fmt::format("/{}", p.step);
    return text;
  });
}

/// `1-15/2 z=0 bandwidth=3GBps`.
LinkException parse_exception(const Description& m, Text text, Text what) {
  LinkException e;
  for (const auto word : core::split(text, ' ')) {
    if (core::trim(word).empty()) continue;
    const auto equals = word.find('=');
    const auto value = equals == Text::npos ? Text{} : word.substr(equals + 1);
    const auto key = word.substr(0, equals);
    if (equals == Text::npos) {
      const auto more = parse_positions(word, what);
      e.at.insert(e.at.end(), more.begin(), more.end());
    } else if (key == "bandwidth" || key == "bw") {
      e.bandwidth = core::parse_bandwidth(value, what);
      if (e.bandwidth == 0)
        fail_input("{}: found '{}', expected more than 0 (failed-links takes links down)", what, word);
    } else if (key == "latency" || key == "lat") {
      e.latency = core::parse_duration(value, what);
    } else
      e.where.push_back({find_dimension(m, key, what), parse_positions(value, what)});
  }
  if (e.at.empty() || (e.bandwidth == 0 && e.latency < 0))
    fail_input("{}: found '{}', expected positions and what differs there, such as 1-15/2 bandwidth=3GBps", what,
               core::excerpt(text));
  return e;
}

std::string exception_text(const Description& m, const LinkException& e) {
  auto text = positions_text(e.at);
  for (const auto& c : e.where) text += fmt::format(" {}={}", m.dimensions[c.dimension].name, positions_text(c.at));
  if (e.bandwidth > 0) text += " bandwidth=" + core::exact_bandwidth(e.bandwidth);
  if (e.latency >= 0) text += " latency=" + core::exact_duration(e.latency);
  return text;
}

}  // namespace

std::int32_t parse_count(Text text, Text what, std::int32_t low, std::int32_t high) {
  const auto value = core::parse_number<std::int32_t>(core::trim(text));
  if (!value || *value < low || *value > high)
    fail_input("{}: found '{}', expected a whole number from {} to {}", what, core::excerpt(text), low, high);
  return *value;
}

std::string parse_line(Text text, Text what) {
  const bool good = std::ranges::none_of(text, [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (!good) fail_input("{}: found '{}', expected one line of text", what, core::excerpt(text));
  return std::string(text);
}

bool parse_yes_no(Text text, Text what) {
  if (text == "yes" || text == "no") return text == "yes";
  fail_input("{}: found '{}', expected yes or no", what, core::excerpt(text));
}

Wrap parse_wrap(Text text, Text what) {
  for (const Wrap wrap : {Wrap::mesh, Wrap::torus, Wrap::ring})
    if (text == to_string(wrap)) return wrap;
  fail_input("{}: found '{}', expected mesh, torus or ring (one-way)", what, core::excerpt(text));
}

double parse_factor(Text text, Text what) {
  const auto digits = text.substr(std::min<std::size_t>(1, text.size()));
  if (!text.starts_with('x') || digits.empty() || digits.find_first_of("0123456789.") != 0) return 0;
  const auto factor = core::parse_number<double>(digits);
  if (!factor || !std::isfinite(*factor) || *factor <= 0)
    fail_input("{}: found '{}', expected a value, or a factor above 0 such as x0.5", what, core::excerpt(text));
  return *factor;
}

double parse_quantity(Text text, Text what, double now, ParseQuantity parse) {
  const double factor = parse_factor(text, what);
  if (factor == 0) return parse(text, what);
  if (std::isinf(now)) fail_input("{}: found '{}', but there is no limit to multiply", what, core::excerpt(text));
  if (!std::isfinite(now * factor)) fail_input("{}: '{}' is too large", what, core::excerpt(text));
  return now * factor;
}

double parse_limit(Text text, Text what) {
  if (text == "none") return std::numeric_limits<double>::infinity();
  return core::parse_bandwidth(text, what);
}

std::string limit_text(double bandwidth) {
  return std::isinf(bandwidth) ? "none" : core::exact_bandwidth(bandwidth);
}

std::vector<LinkException> parse_exceptions(const Description& m, Text text, Text what) {
  std::vector<LinkException> all;
  for (const auto part : core::split(text == "none" ? Text{} : text, ';'))
    if (!core::trim(part).empty()) all.push_back(parse_exception(m, core::trim(part), what));
  return all;
}

std::string exceptions_text(const Description& m, const std::vector<LinkException>& exceptions) {
  return joined(exceptions, "; ", [&](const LinkException& e) { return exception_text(m, e); });
}

Cabling parse_cabling(std::int32_t extent, Text text, Text what) {
  if (text == "straight" || text == "none") return {};
  if (text == "folded") return folded_cabling(extent);
  Cabling order;
  for (const auto word : words(text)) order.push_back(core::parse_number<std::int32_t>(word).value_or(-1));
  auto sorted = order;
  std::ranges::sort(sorted);
  Cabling all(static_cast<std::size_t>(extent));
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all)
    fail_input("{}: found '{}', expected folded, straight, or each place from 0 to {} once", what, core::excerpt(text),
               extent - 1);
  return order;
}

std::string cabling_text(const Description& m, std::size_t d) {
  if (d >= m.cabling.size() || m.cabling[d].empty()) return "straight";
  const auto& cabling = m.cabling[d];
  return cabling == folded_cabling(m.dimensions[d].extent) ? "folded" : fmt::format("{}", fmt::join(cabling, " "));
}

Coordinates parse_twist(const Description& m, Text text, Text what) {
  Coordinates twist{};
  if (text == "none") return twist;
  for (const auto word : words(text)) {
    const auto sign = word.find_first_of("+-");
    if (sign == Text::npos) fail_input("{}: found '{}', expected a shift such as z+4", what, core::excerpt(text));
    const auto d = find_dimension(m, word.substr(0, sign), what);
    const auto shift = parse_count(word.substr(sign + 1), what, 0, m.dimensions[d].extent);
    if (twist[d] != 0) fail_input("{}: '{}' shifts {} twice", what, core::excerpt(text), m.dimensions[d].name);
    twist[d] = word[sign] == '-' ? -shift : shift;
  }
  return twist;
}

std::string twist_text(const Description& m, const Coordinates& twist) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (twist[d] != 0) parts.push_back(fmt::format("{}{:+}", m.dimensions[d].name, twist[d]));
  return parts.empty() ? "none" : core::join(parts, " ");
}

std::vector<NodeSet> parse_nodes(const Description& m, Text text, Text what) {
  std::vector<NodeSet> all;
  if (text == "none") return all;
  const NodeNames names(m);
  for (const auto word : words(text)) {
    const auto found = names.read(word, what);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string nodes_text(const Description& m, const std::vector<NodeSet>& nodes) {
  return joined(nodes, " ", [&](const NodeSet& set) {
    const auto* range = std::get_if<NodeRange>(&set);
    return range == nullptr                ? box_text(m, std::get<Box>(set))
           : range->first == range->second ? fmt::format("{}", range->first)
                                           : fmt::format("{}-{}", range->first, range->second);
  });
}

std::vector<std::string> split_dimensions(Text text) {
  std::string value(text);
  for (const std::string unit : {"B/s", "b/s"})  // units, not separators
    for (auto at = value.find(unit); at != std::string::npos; at = value.find(unit)) value[at + 1] = 'p';
  std::vector<std::string> parts;
  for (const auto part : core::split(value, '/')) parts.emplace_back(core::trim(part));
  return parts;
}

std::vector<std::string> parse_node_names(Text text, Text what) {
  if (text == "none") return {};
  return expand_host_list(text, what, most_routers);
}

std::vector<std::vector<Placement>> parse_placements(Text text, Text what) {
  std::vector<std::vector<Placement>> all;
  if (text == "none") return all;
  for (const auto of_torus : core::split(text, ';')) {
    auto& placements = all.emplace_back();
    for (const auto word : words(of_torus)) {
      const auto equals = word.find('=');
      const auto key = word.substr(0, equals);
      if (equals == Text::npos)
        placements.push_back(parse_placement(word, what));
      else if (!placements.empty() && (key == "spacing" || key == "seed"))
        (key == "seed" ? placements.back().seed : placements.back().spacing) =
            parse_sides(word.substr(equals + 1), 0, what);
      else
        fail_input("{}: found '{}', expected placements such as 2x2x1 4x4x2 spacing=2x2x2 seed=0x0x1", what,
                   core::excerpt(word));
    }
  }
  return all;
}

std::string placements_text(const std::vector<std::vector<Placement>>& all) {
  const auto sides = [](const Placement::Extents& e) { return fmt::format("{}x{}x{}", e[0], e[1], e[2]); };
  std::vector<std::string> tori;
  for (const auto& of_torus : all) {
    std::vector<std::string> words;
    for (const auto& placement : of_torus) {
      words.push_back(sides(placement.dims));
      if (placement.spacing != Placement::Extents{}) words.push_back("spacing=" + sides(placement.spacing));
      if (placement.seed != Placement::Extents{}) words.push_back("seed=" + sides(placement.seed));
    }
    tori.push_back(core::join(words, " "));
  }
  return core::join(tori, "; ");
}

void set_shape(Description& m, Text text, Text what) {
  std::vector<std::int32_t> extents;
  std::int64_t routers = 1;
  for (const auto part : core::split(text, 'x')) {
    const auto extent = core::parse_number<std::int32_t>(part);
    if (!extent || *extent < 1)
      fail_input("{}: found '{}', expected extents such as 8x8 or 4x4x4", what, core::excerpt(text));
    extents.push_back(*extent);
    routers *= *extent;
    if (routers > most_routers)  // here already: a cabling takes memory
      fail_input("{}: '{}' is too large: more than {} routers", what, core::excerpt(text), most_routers);
  }
  if (extents.size() > max_dimensions)
    fail_input("{}: a grid has 1 to {} dimensions, found {}", what, max_dimensions, extents.size());
  if (m.dimensions.empty()) {
    m.dimensions.resize(extents.size());
    m.cabling.resize(extents.size());
    for (std::size_t d = 0; d < extents.size(); ++d) m.dimensions[d].name = dimension_name(d);
  }
  if (extents.size() != m.dimensions.size())
    fail_input("{}: found {} extents, but the machine has {} dimensions", what, extents.size(), m.dimensions.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    // A cabling goes with its extent; folds fold any.
    if (m.cabling[d] == folded_cabling(m.dimensions[d].extent)) m.cabling[d] = folded_cabling(extents[d]);
    m.dimensions[d].extent = extents[d];
  }
}

std::string shape_text(const Description& m) {
  return joined(m.dimensions, "x", &Dimension::extent);
}

void set_names(Description& m, Text text, Text what) {
  const auto names = words(text);
  if (names.size() != m.dimensions.size())
    fail_input("{}: found {} names for {} dimensions", what, names.size(), m.dimensions.size());
  for (std::size_t d = 0; d < names.size(); ++d) {
    const bool good =
        std::ranges::all_of(names[d], [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; });
    if (!good || std::isdigit(static_cast<unsigned char>(names[d].front())) != 0 || names[d].size() > 16 ||
        std::ranges::count(names, names[d]) > 1)
      fail_input("{}: found '{}', expected different names of small letters and digits, such as x y z", what,
                 core::excerpt(names[d]));
    m.dimensions[d].name = names[d];
  }
}

std::string names_text(const Description& m) {
  return joined(m.dimensions, " ", &Dimension::name);
}

std::vector<std::size_t> parse_routing(const Description& m, Text text, Text what) {
  std::vector<std::size_t> order;
  if (text == "none") return order;
  for (const auto word : words(text)) order.push_back(find_dimension(m, word, what));
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (order.size() != m.dimensions.size() || std::ranges::count(order, d) != 1)
      fail_input("{}: found '{}', expected each of {} once", what, core::excerpt(text), names_text(m));
  return order;
}

std::string routing_text(const Description& m) {
  return joined(m.routing, " ", [&](std::size_t d) { return m.dimensions[d].name; });
}

/// Without a count a digit takes what is left of its dimension.
std::vector<NumberingDigit> parse_numbering(const Description& m, Text text, Text what) {
  std::vector<NumberingDigit> digits;
  if (text == "none") return digits;
  Coordinates left{};
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) left[d] = m.dimensions[d].extent;
  for (const auto word : words(text)) {
    const auto colon = word.find(':');
    const auto d = find_dimension(m, word.substr(0, colon), what);
    const auto count =
        colon == Text::npos ? left[d] : parse_count(word.substr(colon + 1), what, 1, m.dimensions[d].extent);
    if (left[d] % count != 0)
      fail_input("{}: '{}' does not divide the {} places that are left of {}", what, core::excerpt(word), left[d],
                 m.dimensions[d].name);
    left[d] /= count;
    digits.push_back({d, count});
  }
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (left[d] != 1)
      fail_input("{}: '{}' leaves {} places of {} without a number", what, core::excerpt(text), left[d],
                 m.dimensions[d].name);
  return digits;
}

std::string numbering_text(const Description& m) {
  return joined(m.numbering, " ", [&](const NumberingDigit& digit) {
    return fmt::format("{}:{}", m.dimensions[digit.dimension].name, digit.count);
  });
}

}  // namespace toroid::platforms
