// The properties that describe a machine: one table for XML files, presets, inline machines and `--set`.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "core/error.hpp"
#include "core/spec.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "platforms/description.hpp"

namespace toroid::platforms {
namespace {

using core::fail_input;
using Text = std::string_view;

// Reading and writing values. `what` is the property's name, for messages.

std::int32_t parse_count(Text text, Text what, std::int32_t low, std::int32_t high) {
  const auto value = core::parse_number<std::int32_t>(core::trim(text));
  if (!value || *value < low || *value > high)
    fail_input("{}: found '{}', expected a whole number from {} to {}", what, core::excerpt(text), low, high);
  return *value;
}

/// Text that stays on a line.
std::string parse_line(Text text, Text what) {
  const bool good = std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (!good) fail_input("{}: found '{}', expected one line of text", what, core::excerpt(text));
  return std::string(text);
}

std::vector<Text> blank_separated(Text text) {
  std::vector<Text> all;
  for (const auto word : core::split(text, ' '))
    if (const auto trimmed = core::trim(word); !trimmed.empty()) all.push_back(trimmed);
  return all;
}

/// Separated by blanks or commas.
std::vector<Text> words(Text text) {
  std::vector<Text> all;
  for (const auto part : blank_separated(text))
    for (const auto word : core::split(part, ','))
      if (const auto trimmed = core::trim(word); !trimmed.empty()) all.push_back(trimmed);
  return all;
}

Wrap parse_wrap(Text text, Text what) {
  for (const Wrap wrap : {Wrap::mesh, Wrap::torus, Wrap::ring})
    if (text == to_string(wrap)) return wrap;
  fail_input("{}: found '{}', expected mesh, torus or ring (one-way)", what, core::excerpt(text));
}

bool parse_yes_no(Text text, Text what) {
  if (text == "yes" || text == "no") return text == "yes";
  fail_input("{}: found '{}', expected yes or no", what, core::excerpt(text));
}

double parse_limit(Text text, Text what) {
  if (text == "none") return std::numeric_limits<double>::infinity();
  return core::parse_bandwidth(text, what);
}

std::string limit_text(double bandwidth) {
  return std::isinf(bandwidth) ? "none" : core::exact_bandwidth(bandwidth);
}

std::size_t find_dimension(const Description& m, Text name, Text what) {
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (m.dimensions[d].name == name) return d;
  std::vector<std::string> names;
  for (const auto& dim : m.dimensions) names.push_back(dim.name);
  fail_input("{}: no dimension '{}'; the machine has {}", what, core::excerpt(name), core::join(names));
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
  std::vector<std::string> parts;
  for (const auto& p : all) {
    auto text = std::to_string(p.first);
    if (p.last != p.first) text += fmt::format("-{}", p.last);
    if (p.step != 1) text += fmt::format("/{}", p.step);
    parts.push_back(text);
  }
  return core::join(parts, ",");
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

Cabling parse_cabling(std::int32_t extent, Text text, Text what) {
  if (text == "straight" || text == "none") return {};
  if (text == "folded") return folded_cabling(extent);
  Cabling order;
  for (const auto word : words(text)) order.push_back(parse_count(word, what, 0, extent - 1));
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
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

/// `z+4 y-2`.
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

std::vector<NodeRange> parse_nodes_property(Text text, Text what) {
  std::vector<NodeRange> ranges;
  if (text == "none") return ranges;
  for (const auto word : words(text)) {
    const auto dash = word.find('-');
    const auto first = parse_position(word.substr(0, dash), what);
    const auto last = dash == Text::npos ? first : parse_position(word.substr(dash + 1), what);
    if (last < first) fail_input("{}: found '{}', expected nodes such as 0-15 20", what, core::excerpt(word));
    ranges.emplace_back(first, last);
  }
  return ranges;
}

std::string nodes_text(const std::vector<NodeRange>& ranges) {
  std::vector<std::string> parts;
  for (const auto& [first, last] : ranges)
    parts.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
  return core::join(parts, " ");
}

/// `17`, `(1,0,2)`, or `1,0,2`: a spec may have taken the parentheses away.
RouterName parse_router(const Description& m, Text text, Text what) {
  RouterName name;
  const auto parts = core::split(core::unwrap(text), ',');
  if (parts.size() == 1 && parts[0] == text) {
    name.node = parse_position(text, what);
    return name;
  }
  if (parts.size() != m.dimensions.size())
    fail_input("{}: found '{}', expected a node, or a router's {} coordinates in parentheses", what,
               core::excerpt(text), m.dimensions.size());
  name.dimensions = parts.size();
  for (std::size_t d = 0; d < parts.size(); ++d)
    name.at[d] = parse_count(parts[d], what, 0, m.dimensions[d].extent - 1);
  return name;
}

}  // namespace

std::string to_string(const RouterName& name) {
  if (name.node >= 0) return std::to_string(name.node);
  return fmt::format("({})", fmt::join(name.at.begin(), name.at.begin() + static_cast<long>(name.dimensions), ","));
}

namespace {

std::vector<RouterName> parse_routers(const Description& m, Text text, Text what) {
  std::vector<RouterName> all;
  if (text != "none")
    for (const auto word : blank_separated(text)) all.push_back(parse_router(m, word, what));
  return all;
}

/// `5-6` both ways, `5>6` one way.
std::vector<FailedLink> parse_failed_links(const Description& m, Text text, Text what) {
  std::vector<FailedLink> all;
  if (text == "none") return all;
  for (const auto word : blank_separated(text)) {
    const auto between = word.find_first_of("->");
    const auto to = word.find_first_not_of("->", between);
    if (between == Text::npos || to == Text::npos)
      fail_input("{}: found '{}', expected two neighbours such as 5-6, or 5>6 for one way", what, core::excerpt(word));
    all.push_back({parse_router(m, word.substr(0, between), what), parse_router(m, word.substr(to), what),
                   word.substr(between, to - between) == "-"});
  }
  return all;
}

std::string failed_links_text(const std::vector<FailedLink>& links) {
  std::vector<std::string> parts;
  for (const auto& link : links)
    parts.push_back(to_string(link.from) + (link.both_ways ? "-" : ">") + to_string(link.to));
  return core::join(parts, " ");
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

}  // namespace

std::string shape_text(const Description& m) {
  std::vector<std::string> extents;
  for (const auto& dim : m.dimensions) extents.push_back(std::to_string(dim.extent));
  return core::join(extents, "x");
}

namespace {

void set_names(Description& m, Text text, Text what) {
  const auto names = words(text);
  if (names.size() != m.dimensions.size())
    fail_input("{}: found {} names for {} dimensions", what, names.size(), m.dimensions.size());
  for (std::size_t d = 0; d < names.size(); ++d) {
    const bool good = std::all_of(names[d].begin(), names[d].end(),
                                  [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; });
    if (!good || std::isdigit(static_cast<unsigned char>(names[d].front())) != 0 || names[d].size() > 16 ||
        std::count(names.begin(), names.end(), names[d]) > 1)
      fail_input("{}: found '{}', expected different names of small letters and digits, such as x y z", what,
                 core::excerpt(names[d]));
    m.dimensions[d].name = names[d];
  }
}

std::string names_text(const Description& m) {
  std::vector<std::string> names;
  for (const auto& dim : m.dimensions) names.push_back(dim.name);
  return core::join(names, " ");
}

std::vector<std::size_t> parse_routing(const Description& m, Text text, Text what) {
  std::vector<std::size_t> order;
  if (text == "none") return order;
  for (const auto word : words(text)) order.push_back(find_dimension(m, word, what));
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (order.size() != m.dimensions.size() || std::count(order.begin(), order.end(), d) != 1)
      fail_input("{}: found '{}', expected each of {} once", what, core::excerpt(text), names_text(m));
  return order;
}

std::string routing_text(const Description& m) {
  std::vector<std::string> names;
  for (const auto d : m.routing) names.push_back(m.dimensions[d].name);
  return core::join(names, " ");
}

/// `y:4 z:8 y:3 z:2 x`: digits, least first; without a count, what is left of the dimension.
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
  std::vector<std::string> parts;
  for (const auto& digit : m.numbering)
    parts.push_back(fmt::format("{}:{}", m.dimensions[digit.dimension].name, digit.count));
  return core::join(parts, " ");
}

template <class Item>
void append(std::vector<Item>& items, const std::vector<Item>& more) {
  items.insert(items.end(), more.begin(), more.end());
}

/// What a property has to say that only adds to another.
std::string nothing(const Description&) {
  return {};
}

// The tables. A property's text is empty where there is nothing to say.

struct MachineProperty {
  PropertyHelp help;
  void (*set)(Description&, Text value, Text what);
  std::string (*get)(const Description&);
};

struct DimensionProperty {
  PropertyHelp help;
  void (*set)(Description&, std::size_t d, Text value, Text what);
  std::string (*get)(const Description&, std::size_t d);
};

const std::vector<MachineProperty>& machine_properties() {
  static const std::vector<MachineProperty> table{
      {{"shape", "", "extents of the dimensions: 12x8; must come first", false}, set_shape, shape_text},
      {{"dimensions", "", "names of the dimensions (x y z d3 ...)", false}, set_names, names_text},
      {{"description", "", "one line about the machine", false},
       [](Description& m, Text v, Text what) { m.text = parse_line(v, what); },
       [](const Description& m) { return m.text; }},
      {{"routing", "", "dimensions in the order in which routes take them: y x (first to last)", false},
       [](Description& m, Text v, Text what) { m.routing = parse_routing(m, v, what); },
       routing_text},
      {{"numbering", "", "how nodes are counted: dimensions, the fastest first, in steps: y:4 z:8 y:3 z:2 x (x y z)",
        false},
       [](Description& m, Text v, Text what) { m.numbering = parse_numbering(m, v, what); },
       numbering_text},
      {{"nodes-per-router", "nodes", "nodes on each router (1)", false},
       [](Description& m, Text v, Text what) { m.nodes_per_router = parse_count(v, what, 1, 1 << 16); },
       [](const Description& m) { return std::to_string(m.nodes_per_router); }},
      {{"base-latency", "base", "latency paid once per message, besides the hops (0s)", false},
       [](Description& m, Text v, Text what) { m.node.base_latency = core::parse_duration(v, what); },
       [](const Description& m) { return core::exact_duration(m.node.base_latency); }},
      {{"injection-bandwidth", "injection", "bandwidth from a node into the network (none: no limit)", false},
       [](Description& m, Text v, Text what) { m.node.injection_bandwidth = parse_limit(v, what); },
       [](const Description& m) { return limit_text(m.node.injection_bandwidth); }},
      {{"ejection-bandwidth", "ejection", "bandwidth from the network into a node (none: no limit)", false},
       [](Description& m, Text v, Text what) { m.node.ejection_bandwidth = parse_limit(v, what); },
       [](const Description& m) { return limit_text(m.node.ejection_bandwidth); }},
      {{"loopback-bandwidth", "loopback_bw", "bandwidth between ranks of one node (10GBps)", false},
       [](Description& m, Text v, Text what) { m.node.loopback_bandwidth = parse_limit(v, what); },
       [](const Description& m) { return limit_text(m.node.loopback_bandwidth); }},
      {{"loopback-latency", "loopback_lat", "latency between ranks of one node (100ns)", false},
       [](Description& m, Text v, Text what) { m.node.loopback_latency = core::parse_duration(v, what); },
       [](const Description& m) { return core::exact_duration(m.node.loopback_latency); }},
      {{"speed", "", "speed of one core (1Gf): a recorded flop takes 1/speed seconds", false},
       [](Description& m, Text v, Text what) { m.node.speed = core::parse_speed(v, what); },
       [](const Description& m) { return core::exact_speed(m.node.speed); }},
      {{"cores", "", "ranks that a node can run at once (1)", false},
       [](Description& m, Text v, Text what) { m.node.cores = parse_count(v, what, 1, 1 << 20); },
       [](const Description& m) { return std::to_string(m.node.cores); }},
      {{"service-nodes", "", "nodes that get no rank (I/O, login): 0-7 96", false},
       [](Description& m, Text v, Text what) { m.service = parse_nodes_property(v, what); },
       [](const Description& m) { return nodes_text(m.service); }},
      {{"absent-nodes", "", "numbers without a node; their routers are there", false},
       [](Description& m, Text v, Text what) { m.absent = parse_nodes_property(v, what); },
       [](const Description& m) { return nodes_text(m.absent); }},
      {{"failed-nodes", "", "nodes that are down; their routers go on", false},
       [](Description& m, Text v, Text what) { m.failed = parse_nodes_property(v, what); },
       [](const Description& m) { return nodes_text(m.failed); }},
      {{"failed-links", "", "links that are down, by the nodes or routers they join: 5-6 (0,1)-(0,2); 5>6 for one way",
        false},
       [](Description& m, Text v, Text what) { m.failed_links = parse_failed_links(m, v, what); },
       [](const Description& m) { return failed_links_text(m.failed_links); }},
      {{"failed-routers", "", "routers that are down, with their links and nodes: 17 (0,1)", false},
       [](Description& m, Text v, Text what) { m.failed_routers = parse_routers(m, v, what); },
       [](const Description& m) {
         std::vector<std::string> parts;
         for (const auto& name : m.failed_routers) parts.push_back(to_string(name));
         return core::join(parts, " ");
       }},
      {{"fail-node", "", "more failed-nodes, besides those that are", false},
       [](Description& m, Text v, Text what) { append(m.failed, parse_nodes_property(v, what)); },
       nothing},
      {{"fail-link", "", "more failed-links, besides those that are", false},
       [](Description& m, Text v, Text what) { append(m.failed_links, parse_failed_links(m, v, what)); },
       nothing},
      {{"fail-router", "", "more failed-routers, besides those that are", false},
       [](Description& m, Text v, Text what) { append(m.failed_routers, parse_routers(m, v, what)); },
       nothing},
  };
  return table;
}

const std::vector<DimensionProperty>& dimension_properties() {
  static const std::vector<DimensionProperty> table{
      {{"wrap", "", "mesh, torus or ring (one-way) (mesh)", true},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].wrap = parse_wrap(v, what); },
       [](const Description& m, std::size_t d) { return std::string(to_string(m.dimensions[d].wrap)); }},
      {{"bandwidth", "bw", "bandwidth of each directed link (1GBps)", true},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.dimensions[d].bandwidth = core::parse_bandwidth(v, what);
       },
       [](const Description& m, std::size_t d) { return core::exact_bandwidth(m.dimensions[d].bandwidth); }},
      {{"latency", "lat", "latency per hop (100ns)", true},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.dimensions[d].latency = core::parse_duration(v, what);
       },
       [](const Description& m, std::size_t d) { return core::exact_duration(m.dimensions[d].latency); }},
      {{"links", "", "parallel links between neighbours, all used by each message (1)", true},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.dimensions[d].links = parse_count(v, what, 1, 1 << 16);
       },
       [](const Description& m, std::size_t d) { return std::to_string(m.dimensions[d].links); }},
      {{"shared", "", "yes: all routers of a line share one bandwidth (the ring of SCI) (no)", true},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].shared = parse_yes_no(v, what); },
       [](const Description& m, std::size_t d) { return std::string(m.dimensions[d].shared ? "yes" : "no"); }},
      {{"cabling", "",
        "where the routers of the dimension stand, for the numbering: folded, or places: 0 2 4 3 1 (straight)", true},
       [](Description& m, std::size_t d, Text v, Text what) {
         m.cabling[d] = parse_cabling(m.dimensions[d].extent, v, what);
       },
       cabling_text},
      {{"twist", "", "shift of other dimensions where a route crosses the wrap: z+4 (none)", true},
       [](Description& m, std::size_t d, Text v, Text what) { m.dimensions[d].twist = parse_twist(m, v, what); },
       [](const Description& m, std::size_t d) { return twist_text(m, m.dimensions[d].twist); }},
      {{"exceptions", "", "links that differ, by position: 1-15/2 bandwidth=3GBps; 7 z=0 latency=1us (none)", true},
       [](Description& m, std::size_t d, Text v, Text what) {
         std::vector<LinkException> all;
         for (const auto part : core::split(v == "none" ? Text{} : v, ';'))
           if (!core::trim(part).empty()) all.push_back(parse_exception(m, core::trim(part), what));
         m.dimensions[d].exceptions = std::move(all);
       },
       [](const Description& m, std::size_t d) {
         std::vector<std::string> parts;
         for (const auto& e : m.dimensions[d].exceptions) parts.push_back(exception_text(m, e));
         return core::join(parts, "; ");
       }},
  };
  return table;
}

/// Where those of dimensions stand among those of the machine.
constexpr Text last_before_dimensions = "description";

template <class Table>
auto* find_in(const Table& table, Text name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& property) {
    return property.help.name == name || (!property.help.alias.empty() && property.help.alias == name);
  });
  return found == table.end() ? nullptr : &*found;
}

/// Gives each dimension its part of `a/b/c`, or the one value that is there to all of them.
void set_all_dimensions(Description& m, const DimensionProperty& property, Text given, Text name) {
  // B/s is a unit, not a separator.
  std::string value(given);
  for (auto at = value.find("B/s"); at != std::string::npos; at = value.find("B/s")) value.replace(at, 3, "Bps");
  const auto parts = property.help.name == "exceptions" ? std::vector<Text>{value} : core::split(value, '/');
  if (parts.size() != 1 && parts.size() != m.dimensions.size())
    fail_input("{}: {} values for {} dimensions; expected 1 or {}", name, parts.size(), m.dimensions.size(),
               m.dimensions.size());
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    property.set(m, d, core::trim(parts[parts.size() == 1 ? 0 : d]), name);
}

[[noreturn]] void fail_unknown(const Description& m, Text name) {
  const auto suggestion = suggest_property(m, name);
  if (!suggestion.empty())
    fail_input("unknown property '{}'; did you mean '{}'? (toroid list properties)", core::excerpt(name), suggestion);
  fail_input("unknown property '{}'; toroid list properties shows all", core::excerpt(name));
}

}  // namespace

Cabling folded_cabling(std::int32_t extent) {
  Cabling order;
  for (std::int32_t place = 0; place < extent; place += 2) order.push_back(place);
  for (std::int32_t place = extent - 1 - extent % 2; place > 0; place -= 2) order.push_back(place);
  return order;
}

void set_property(Description& m, std::string_view name, std::string_view value) {
  value = core::trim(value);
  const auto dot = name.find('.');
  const auto* general = find_in(machine_properties(), name);
  if (m.dimensions.empty() && name != "shape" && name != "description")
    fail_input("{}: the property 'shape' must come before it", core::excerpt(name));
  if (general != nullptr) return general->set(m, value, name);
  const auto* property = find_in(dimension_properties(), dot == Text::npos ? name : name.substr(dot + 1));
  if (property == nullptr) fail_unknown(m, name);
  if (dot == Text::npos) return set_all_dimensions(m, *property, value, name);
  property->set(m, find_dimension(m, name.substr(0, dot), name), value, name);
}

std::vector<std::pair<std::string, std::string>> properties(const Description& m) {
  std::vector<std::pair<std::string, std::string>> all;
  Description plain;
  set_shape(plain, shape_text(m), "shape");
  const auto add_dimensions = [&] {
    for (const auto& property : dimension_properties()) {
      std::vector<std::string> values;
      for (std::size_t d = 0; d < m.dimensions.size(); ++d) values.push_back(property.get(m, d));
      const bool alike = std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == values[0]; });
      const auto usual = property.get(plain, 0);
      if (alike && values[0] != usual && property.help.name != "exceptions" && property.help.name != "cabling") {
        all.emplace_back(property.help.name, values[0]);
        continue;
      }
      for (std::size_t d = 0; d < values.size(); ++d)
        if (values[d] != property.get(plain, d))
          all.emplace_back(fmt::format("{}.{}", m.dimensions[d].name, property.help.name), values[d]);
    }
  };
  for (const auto& property : machine_properties()) {
    const auto value = property.get(m);
    const bool is_shape = property.help.name == "shape";
    if (!value.empty() && (is_shape || value != property.get(plain))) all.emplace_back(property.help.name, value);
    if (property.help.name == last_before_dimensions) add_dimensions();
  }
  return all;
}

std::vector<PropertyHelp> property_help() {
  std::vector<PropertyHelp> all;
  for (const auto& property : machine_properties()) {
    all.push_back(property.help);
    if (property.help.name != last_before_dimensions) continue;
    for (const auto& of_dimension : dimension_properties()) all.push_back(of_dimension.help);
  }
  return all;
}

std::string canonical_property(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == Text::npos)
    if (const auto* general = find_in(machine_properties(), name)) return std::string(general->help.name);
  const auto* property = find_in(dimension_properties(), dot == Text::npos ? name : name.substr(dot + 1));
  if (property == nullptr) return std::string(name);
  return std::string(name.substr(0, dot == Text::npos ? 0 : dot + 1)) + std::string(property->help.name);
}

std::string suggest_property(const Description& m, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& property : machine_properties()) names.emplace_back(property.help.name);
  for (const auto& property : dimension_properties()) {
    names.emplace_back(property.help.name);
    for (const auto& dim : m.dimensions) names.push_back(fmt::format("{}.{}", dim.name, property.help.name));
  }
  return core::nearest(name, names).value_or("");
}

}  // namespace toroid::platforms
